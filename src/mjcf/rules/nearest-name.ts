/** More candidates than this are not compared: a hint is not worth the time. */
const MAX_CANDIDATES = 1_000

/** The candidate a name was most likely meant to be: at most a third of it differs. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  if (candidates.length > MAX_CANDIDATES || name.length > 40) return undefined
  const allowed = Math.max(1, Math.floor(name.length / 3))
  let nearest: string | undefined
  let least = allowed + 1
  for (const candidate of candidates) {
    if (candidate === '' || Math.abs(candidate.length - name.length) >= least) continue
    const distance = editDistance(name, candidate)
    if (distance < least) [nearest, least] = [candidate, distance]
  }
  return nearest
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[b.length] as number
}
