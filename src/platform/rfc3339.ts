/** Times of requests. */

const rfc3339 = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/

/**
 * The time in UTC with milliseconds; null if the text is not a valid time. Also null for a day that the month does not
 * have, which `Date` would move to the next month, and for a year outside 1 to 9999 in UTC, which PostgreSQL and four
 * digits do not have.
 */
export function readTime(text: string): string | null {
  const day = rfc3339.exec(text)?.[1]
  if (day === undefined) return null
  const [time, midnight] = [new Date(text), new Date(`${day}T00:00:00Z`)]
  if (Number.isNaN(time.getTime()) || Number.isNaN(midnight.getTime())) return null
  const year = time.getUTCFullYear()
  return midnight.toISOString().startsWith(day) && year > 0 && year < 10_000 ? time.toISOString() : null
}
