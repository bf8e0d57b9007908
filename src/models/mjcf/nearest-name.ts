/** What somebody may have meant by a name that nothing bears. */

/** Comparing takes up to 4,000 steps a candidate: a search stays below 10 ms. */
const MAX_CANDIDATES = 1_000
const MAX_LENGTH = 64

/** The candidate closest to `name`: equal but for case, or few edits away, or containing it; null where none is near. */
export function nearestName(name: string, candidates: Iterable<string>): string | null {
  const wanted = name.toLowerCase()
  if (wanted.length > MAX_LENGTH) return null
  // Two letters change places in two edits; of a word of three that would be most of it.
  const furthest = Math.min(wanted.length / 2, Math.max(2, wanted.length / 3))
  let best: { readonly name: string; readonly distance: number } | null = null
  let left = MAX_CANDIDATES
  for (const candidate of candidates) {
    if (left-- === 0) break
    if (candidate === '' || candidate.length > MAX_LENGTH || candidate === name) continue
    const distance = distanceOf(wanted, candidate.toLowerCase(), furthest)
    if (distance <= furthest && (!best || distance < best.distance)) best = { name: candidate, distance }
  }
  return best?.name ?? null
}

function distanceOf(wanted: string, candidate: string, furthest: number): number {
  if (wanted.length >= 3 && candidate.includes(wanted)) return 1
  if (candidate.length >= 3 && wanted.includes(candidate)) return 1
  // Each unit of length apart is an edit.
  if (Math.abs(wanted.length - candidate.length) > furthest) return Number.POSITIVE_INFINITY
  return editDistance(wanted, candidate)
}

/** Insertions, deletions and replacements of UTF-16 units. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
