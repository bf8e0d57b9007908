/** Suggests a name for an unknown one. */
import { distance } from 'fastest-levenshtein'

/** Comparing takes up to 4,000 steps per candidate: a search stays below 10 ms. */
const MAX_CANDIDATES = 1_000
const MAX_LENGTH = 64

/** The candidate closest to `name`: equal but for case, or few edits away, or containing it; null if none is close. */
export function nearestName(name: string, candidates: Iterable<string>): string | null {
  const wanted = name.toLowerCase()
  if (wanted.length > MAX_LENGTH) return null
  // Swapping two letters takes two edits, which is too much for a word of three letters.
  const furthest = Math.min(wanted.length / 2, Math.max(2, wanted.length / 3))
  let best: { readonly name: string; readonly edits: number } | null = null
  let left = MAX_CANDIDATES
  for (const candidate of candidates) {
    if (left-- === 0) break
    if (candidate === '' || candidate.length > MAX_LENGTH || candidate === name) continue
    const edits = distanceOf(wanted, candidate.toLowerCase(), furthest)
    if (edits <= furthest && (!best || edits < best.edits)) best = { name: candidate, edits }
  }
  return best?.name ?? null
}

function distanceOf(wanted: string, candidate: string, furthest: number): number {
  if (wanted.length >= 3 && candidate.includes(wanted)) return 1
  if (candidate.length >= 3 && wanted.includes(candidate)) return 1
  // The difference in length is a lower bound of the edits.
  if (Math.abs(wanted.length - candidate.length) > furthest) return Number.POSITIVE_INFINITY
  return distance(wanted, candidate)
}
