/**
 * The limits of a run. A worker run has a deadline only if its recipe gives one; the time of lost attempts counts too.
 * Contract, "Deadlines and cost".
 */
import {
  deadlineSqlOf,
  graceOverSqlOf,
  hostedStopOverSql,
  isGraceOver,
  isHostedStopOver,
  type LimitFacts,
  type LimitReached,
  limitReached,
  type StopFacts,
} from '../../work/limits.ts'
import { accruedUsd, type MeterFacts } from '../../work/meter.ts'

/** When the `max_hours` of the run alias `u` are used up; null if it is not running or has none. */
export const deadlineSql = deadlineSqlOf(
  `case when u.executor = 'hosted' or u.recipe ->> 'max_hours' is not null then u.max_hours * 3600 - u.used_seconds end`,
)

const accruedSql = 'u.rate_usd_per_hour * extract(epoch from now() - u.claimed_at) / 3600'

/**
 * Whether a running run `u` is due for the sweep: its lease has expired, a limit is reached and no stop was requested,
 * or it did not stop in time.
 */
export const dueSql = `(u.lease_expires_at <= now() or ${graceOverSqlOf(deadlineSql)} or ${hostedStopOverSql}
  or u.cancel_requested_at is null and (${deadlineSql} <= now() or u.priced and u.budget_usd <= ${accruedSql}))`

/** Whether a running run was asked to stop and has not in its time, so that the hub ends it. */
export function isStopOverdue(run: StopFacts & Pick<LimitFacts, 'deadlineAt'>): boolean {
  return isGraceOver(run) || isHostedStopOver(run)
}

/** The limit that a running run has reached; null if none, or if it was already asked to stop. */
export function limitOfRun(run: LimitFacts & Omit<MeterFacts, 'finishedAt'>): LimitReached | null {
  return limitReached('run', run, accruedUsd({ ...run, finishedAt: null }, run.now))
}
