/**
 * Signed addresses that stay the same while a page is read again: each answer of the hub signs again, and another
 * address is another picture to a browser, which would load it again.
 */

interface Signed {
  /** Names an object that never changes: its SHA-256, or the id of a film; null where nothing does. */
  readonly of: string | null
  readonly url: string
}

/** They are good for an hour. */
const KEPT_MS = 50 * 60_000
/** Some pages of lists; the oldest goes first. */
const MOST_KEPT = 500

const kept = new Map<string, { readonly url: string; readonly untilMs: number }>()

/** The address by which the object was shown before, if that still works, or else the new one. */
export function lastingUrl({ of, url }: Signed, nowMs = Date.now()): string {
  if (of === null) return url
  const known = kept.get(of)
  if (known && known.untilMs > nowMs) return known.url
  kept.delete(of)
  kept.set(of, { url, untilMs: nowMs + KEPT_MS })
  const [oldest] = kept.keys()
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest)
  return url
}
