/**
 * Signed addresses that stay the same while a page is read again: each answer of the hub signs again, and another
 * address is another picture to a browser, which would load it again.
 */

interface Signed {
  readonly sha256: string | null
  readonly url: string
}

/** They are good for an hour. */
const KEPT_MS = 50 * 60_000
/** Some pages of lists; the oldest goes first. */
const MOST_KEPT = 500

const kept = new Map<string, { readonly url: string; readonly untilMs: number }>()

/** The address by which these bytes were shown before, if that still works, or else the new one. */
export function lastingUrl({ sha256, url }: Signed, nowMs = Date.now()): string {
  if (sha256 === null) return url
  const known = kept.get(sha256)
  if (known && known.untilMs > nowMs) return known.url
  kept.delete(sha256)
  kept.set(sha256, { url, untilMs: nowMs + KEPT_MS })
  const [oldest] = kept.keys()
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest)
  return url
}
