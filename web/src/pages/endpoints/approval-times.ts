/** How long an approval may be given for. Pure. */
const HOUR_MS = 3_600_000
/** The longest, so that the clock of a browser that is a little ahead asks for no more than the hub gives. */
const MARGIN_MS = 60_000

export const approvalTimes = [
  { hours: 1, label: '1 hour' },
  { hours: 8, label: '8 hours' },
  { hours: 24, label: '1 day' },
  { hours: 7 * 24, label: '7 days' },
  { hours: 30 * 24, label: '30 days' },
  { hours: 90 * 24, label: '90 days' },
] as const

/** The end of an approval that is given at `now`, milliseconds since 1970. */
export function expiryAfter(hours: number, now: number): string {
  const longest = approvalTimes.at(-1)?.hours ?? 0
  return new Date(now + hours * HOUR_MS - (hours === longest ? MARGIN_MS : 0)).toISOString()
}
