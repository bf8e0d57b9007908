/** The daily quota of GPU hours that priced runs reserve. Pure. Spec, createRun rule 5. */
import { HubError } from '../platform/errors.ts'

/** A priced run of the last 24 hours that was not canceled. */
export interface Reservation {
  readonly hours: number
  readonly ageS: number
  /** Created with the key of this request. */
  readonly byThisKey: boolean
}

export interface GpuHourRequest {
  /** `max_hours` of the run. */
  readonly hours: number
  /** Reservations of the user, over all credentials; `limitHours` limits their sum. */
  readonly reservations: readonly Reservation[]
  readonly limitHours: number
  /** The key's own quota, which limits the runs created with it; null if it has none. */
  readonly keyLimitHours: number | null
}

const WINDOW_S = 86_400

/** Null if the run fits, else 429 with the figures of the exceeded quota, the user's first. */
export function gpuHourRefusal(ask: GpuHourRequest): HubError | null {
  const own = ask.reservations.filter(({ byThisKey }) => byThisKey)
  const person = overQuota(ask.hours, ask.reservations, ask.limitHours, 'The daily quota')
  if (person || ask.keyLimitHours === null) return person
  return overQuota(ask.hours, own, ask.keyLimitHours, "The key's daily quota")
}

function overQuota(hours: number, reservations: readonly Reservation[], limit: number, quota: string): HubError | null {
  const used = sumOf(reservations)
  if (millionths(used + hours) <= millionths(limit)) return null
  const detail = `${quota} is ${shown(limit)} GPU hours; priced runs of the last 24 hours reserve ${shown(used)}, and this one asks for ${shown(hours)}.`
  const type = 'quota.gpu_hours'
  return new HubError(type, detail, {
    items: [{ type, detail, loc: ['recipe', 'maxHours'] }],
    facts: { limit, used, retryAfterS: secondsUntilRoom(hours, reservations, limit) },
  })
}

/**
 * Seconds until enough of the oldest reservations have left the window; a whole window if the run alone exceeds the
 * quota.
 */
function secondsUntilRoom(hours: number, reservations: readonly Reservation[], limit: number): number {
  const oldestFirst = reservations.toSorted((a, b) => b.ageS - a.ageS)
  let left = sumOf(reservations)
  for (const { hours: freed, ageS } of oldestFirst) {
    left -= freed
    if (millionths(left + hours) <= millionths(limit)) return WINDOW_S - ageS
  }
  return WINDOW_S
}

const sumOf = (reservations: readonly Reservation[]) => reservations.reduce((sum, { hours }) => sum + hours, 0)

/** Sums of binary floats are compared to a millionth of an hour: ten runs of 0.1 h are one hour. */
const millionths = (hours: number) => Math.round(hours * 1e6)
const shown = (hours: number) => String(millionths(hours) / 1e6)
