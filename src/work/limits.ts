/**
 * The limits of a running job that the hub itself enforces: `max_hours`, by the database's clock, and the budget. The
 * job is asked to stop. If a job does not stop at its deadline, the hub ends it. Contract, "Deadlines and cost". Pure
 * decisions.
 */
import { type Usd, usd, usdLess } from '../platform/money.ts'

/** Grace period after the deadline in which the holder can still report the end; then the hub ends the job. */
const STOP_GRACE_MS = 60_000

/**
 * The time that a hosted job has to end itself once it was asked to stop. With a round of the sweep and one of the
 * calls, the hub has ended the job and its call within a minute, at which the bill ends too.
 */
const HOSTED_STOP_MS = 40_000

/**
 * When a running job `u` reaches its cap of seconds since the claim; null if the cap is null. Truncated to the
 * millisecond, so that no bill exceeds it.
 */
export function deadlineSqlOf(capSecondsSql: string): string {
  return `case when u.status = 'running'
  then date_trunc('milliseconds', u.claimed_at + make_interval(secs => (${capSecondsSql})::float8)) end`
}

/** `isAskedAgo` as SQL on the job `u`. */
export const isAskedAgoSql = `u.cancel_requested_at <= now() - interval '${STOP_GRACE_MS} ms'`

/** `isGraceOver` as SQL on the job `u`. */
export function graceOverSqlOf(deadlineSql: string): string {
  return `(${deadlineSql} <= now() - interval '${STOP_GRACE_MS} ms' and ${isAskedAgoSql})`
}

/** The values of a job that decide whether it has reached a limit; times are RFC 3339. */
export interface LimitFacts {
  readonly maxHours: number
  /** When `max_hours` is used up; null if there is no such time. */
  readonly deadlineAt: string | null
  readonly cancelRequestedAt: string | null
  readonly priced: boolean
  readonly budgetUsd: Usd | null
  readonly now: string
}

/** Whether `max_hours` is used up. */
export function isDeadlineOver({ deadlineAt, now }: Pick<LimitFacts, 'deadlineAt' | 'now'>): boolean {
  return deadlineAt !== null && Date.parse(deadlineAt) <= Date.parse(now)
}

const isAgo = (time: string | null, now: string, ms = STOP_GRACE_MS) =>
  time !== null && Date.parse(time) + ms <= Date.parse(now)

/** `isSilent` as SQL on the job `u`. */
export const isSilentSql = `u.heartbeat_at <= now() - interval '${STOP_GRACE_MS} ms'`

/** Whether the holder has not reported for as long as its grace period. */
export function isSilent({ heartbeatAt, now }: { readonly heartbeatAt: string | null; readonly now: string }): boolean {
  return isAgo(heartbeatAt, now)
}

/** Whether the job was asked to stop longer ago than the holder's grace period. */
export function isAskedAgo(job: Pick<LimitFacts, 'cancelRequestedAt' | 'now'>): boolean {
  return isAgo(job.cancelRequestedAt, job.now)
}

/** `isHostedStopOver` as SQL on the job `u`. */
export const hostedStopOverSql = `(u.executor = 'hosted' and u.stop_reason is distinct from 'max_hours'
  and u.cancel_requested_at <= now() - interval '${HOSTED_STOP_MS} ms')`

/** The values of a job that was asked to stop; times are RFC 3339. */
export interface StopFacts extends Pick<LimitFacts, 'cancelRequestedAt' | 'now'> {
  readonly executor: string | null
  readonly stopReason: string | null
}

/**
 * Whether a hosted job was asked to stop, for another reason than its deadline, and did not in its time: the hub then
 * ends it, and the call with it.
 */
export function isHostedStopOver(job: StopFacts): boolean {
  return (
    job.executor === 'hosted' && job.stopReason !== 'max_hours' && isAgo(job.cancelRequestedAt, job.now, HOSTED_STOP_MS)
  )
}

/** Whether the grace period is over both since the request to stop and since the deadline. */
export function isGraceOver(job: Pick<LimitFacts, 'deadlineAt' | 'cancelRequestedAt' | 'now'>): boolean {
  return isAgo(job.deadlineAt, job.now) && isAskedAgo(job)
}

export interface LimitReached {
  /** `stop_reason` of the job. */
  readonly reason: 'max_hours' | 'budget'
  readonly notice: string
}

/**
 * The limit for which a running job must be asked to stop, given its cost so far; null if none is reached, or if it was
 * asked before. The notice uses `name` for the job.
 */
export function limitReached(name: string, job: LimitFacts, accrued: Usd): LimitReached | null {
  if (job.cancelRequestedAt !== null) return null
  if (isDeadlineOver(job)) {
    const notice = `The ${name} has used up its max_hours of ${job.maxHours}. It is asked to stop, and ended in ${STOP_GRACE_MS / 1000} s if it does not.`
    return { reason: 'max_hours', notice }
  }
  if (job.budgetUsd === null || !job.priced) return null
  const budget = usd(job.budgetUsd)
  return usdLess(budget, accrued) === budget
    ? { reason: 'budget', notice: `The budget of ${budget} USD is spent. The ${name} is asked to stop.` }
    : null
}

/** Why a job that did not stop at its deadline has failed. */
export function deadlineError(name: string, { maxHours }: Pick<LimitFacts, 'maxHours'>): string {
  return `The ${name} used up its max_hours of ${maxHours}, and the hub ended it.`
}
