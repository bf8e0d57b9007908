/**
 * The limits of a run under way that the hub itself keeps: `max_hours`, by the database's clock and over all attempts, and the budget. Pure. Contract,
 * "max_hours". A worker run has a deadline only where its recipe gives one.
 */
import { usd, usdLess } from '../../platform/money.ts'
import { accruedUsd, type SpendFacts } from '../read/spend.ts'

/** A runner that was asked to stop at the deadline ends the run as it reports for so long; then the hub ends it. */
const STOP_GRACE_MS = 60_000

const capSeconds = `case when u.executor = 'hosted' or u.recipe ->> 'max_hours' is not null then u.max_hours * 3600 - u.used_seconds end`

/** When the `max_hours` of the run alias `u` are used up; null where it is not under way or has none. Cut to the millisecond, so that no bill exceeds them. */
export const deadlineSql = `case when u.status = 'running'
  then date_trunc('milliseconds', u.claimed_at + make_interval(secs => (${capSeconds})::float8)) end`

const graceOverSql = `${deadlineSql} <= now() - interval '${STOP_GRACE_MS} ms' and u.cancel_requested_at <= now() - interval '${STOP_GRACE_MS} ms'`

const accruedSql = 'u.rate_usd_per_hour * extract(epoch from now() - u.claimed_at) / 3600'

/** Whether a running run `u` is the sweep's: its lease is over, a limit is reached and no stop was requested, or it did not stop at its deadline. */
export const dueSql = `(u.lease_expires_at <= now() or (${graceOverSql})
  or u.cancel_requested_at is null and (${deadlineSql} <= now() or u.priced and u.budget_usd <= ${accruedSql}))`

/** What of a run its limits are read from; times are RFC 3339. */
export interface LimitFacts extends Omit<SpendFacts, 'finishedAt' | 'costUsd'> {
  readonly maxHours: number
  readonly now: string
}

/** Whether `max_hours` is used up. */
export function isDeadlineOver({ deadlineAt, now }: Pick<LimitFacts, 'deadlineAt' | 'now'>): boolean {
  return deadlineAt !== null && Date.parse(deadlineAt) <= Date.parse(now)
}

/** Whether the run was also asked to stop, and both for longer than a runner has to obey. */
export function isGraceOver(run: Pick<LimitFacts, 'deadlineAt' | 'cancelRequestedAt' | 'now'>): boolean {
  if (run.deadlineAt === null || run.cancelRequestedAt === null) return false
  const from = Math.max(Date.parse(run.deadlineAt), Date.parse(run.cancelRequestedAt))
  return from + STOP_GRACE_MS <= Date.parse(run.now)
}

export interface LimitReached {
  /** `stop_reason` of the run. */
  readonly reason: 'max_hours' | 'budget'
  readonly notice: string
}

/** The limit that a run under way is to be asked to stop for; null where none is reached, or it was asked before. */
export function limitReached(run: LimitFacts): LimitReached | null {
  if (run.cancelRequestedAt !== null) return null
  if (isDeadlineOver(run)) {
    const notice = `The run has used up its max_hours of ${run.maxHours}. It is asked to stop, and ended in ${STOP_GRACE_MS / 1000} s if it does not.`
    return { reason: 'max_hours', notice }
  }
  if (run.budgetUsd === null || !run.priced) return null
  const budget = usd(run.budgetUsd)
  const isSpent = usdLess(budget, accruedUsd({ ...run, finishedAt: null, costUsd: null }, run.now)) === budget
  return isSpent
    ? { reason: 'budget', notice: `The budget of ${budget} USD is spent. The run is asked to stop.` }
    : null
}

/** Why a run that did not stop at its deadline has failed. */
export const deadlineError = ({ maxHours }: Pick<LimitFacts, 'maxHours'>): string =>
  `The run used up its max_hours of ${maxHours}, and the hub ended it.`
