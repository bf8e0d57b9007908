/**
 * The shortest hosted job: starting a machine for less is no use, and a shorter one could reserve nothing. Pure.
 * Contract, "Hosted runs".
 */
import { type ErrorItem, HubError, type Loc } from '../platform/errors.ts'
import { mostOfSeconds, type Usd, usdLess } from '../platform/money.ts'

const LEAST_SECONDS = 60

/** The fault of a hosted job's hours at `loc`; null for a minute or more, and for none given. */
export function hostedHoursFault(hours: number | null | undefined, loc: Loc): ErrorItem | null {
  if (hours == null || hours * 3600 >= LEAST_SECONDS) return null
  const detail = `A hosted job lasts at least a minute, a sixtieth of an hour; ${hours} hours are less.`
  return { type: 'validation.value', detail, loc }
}

/** 422 for hours of a hosted job that are less than a minute. */
export function assertHostedHours(hours: number | null | undefined, loc: Loc): void {
  const fault = hostedHoursFault(hours, loc)
  if (fault) throw new HubError('validation.value', fault.detail, { items: [fault] })
}

/**
 * 422 for a budget that does not pay a hosted job's minute: until the hub has ended a job it works for about so long,
 * however small its budget is. `budgetUsd` is null for none, and `rateUsdPerHour` for a job that costs nothing.
 */
export function assertHostedBudget(budgetUsd: Usd | null, rateUsdPerHour: Usd | null, loc: Loc): void {
  if (budgetUsd === null || rateUsdPerHour === null) return
  const least = mostOfSeconds(rateUsdPerHour, LEAST_SECONDS)
  if (usdLess(least, budgetUsd) === least) return
  const detail = `A hosted job lasts at least a minute, which costs ${least} USD at ${rateUsdPerHour} USD an hour; a budget of ${budgetUsd} USD is less.`
  throw new HubError('validation.value', detail, { items: [{ type: 'validation.value', detail, loc }] })
}
