/**
 * A run as verbs that move it see it: the columns that decide, its row lock, and the state machine applied to them.
 * Lock order: repos, runs, accounts, uploads, blobs.
 */

import { isId } from '@hub/formats/ids'
import { runViewer, visibleRuns } from '../auth/policy.ts'
import type { RequestContext } from '../operation/context.ts'
import { HubError, notFound } from '../platform/errors.ts'
import type { Usd } from '../platform/money.ts'
import { column, type RowOf } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import { heldJobColumns, isClaimer, isOwnKey, type JobActor } from '../work/held-job.ts'
import { type JobStatus, refused } from '../work/job-state.ts'
import { isDeadlineOver, isGraceOver, isHostedStopOver } from '../work/limits.ts'
import { visibleRun } from './read/run-shape.ts'
import { deadlineSql } from './run-job.ts'
import { decideRun, type RunFacts, type RunTrigger } from './run-state.ts'

/** All of these columns except the clock, of the runs row `u`. */
export const heldColumns = heldJobColumns.with({
  status: column.enum('JobStatus', 'u.status'),
  lostLeases: column.int4('u.lost_leases'),
  barredCredential: column.text.orNull('u.barred_credential'),
  barredUntil: column.timestamptz.orNull('u.barred_until'),
  stopReason: column.text.orNull('u.stop_reason'),
  leaseOver: column.bool('coalesce(u.lease_expires_at <= now(), false)'),
  maxHours: column.float8('u.max_hours::float8'),
  deadlineAt: column.timestamptz.orNull(deadlineSql),
  priced: column.bool('u.priced'),
  rateUsdPerHour: column.numeric.orNull<Usd>('u.rate_usd_per_hour'),
  budgetUsd: column.numeric.orNull<Usd>('u.budget_usd'),
  gpuType: column.text.orNull('u.gpu_type'),
  selfStarted: column.bool('u.self_started'),
})

/** With the database's clock, which all decisions about time use. */
export const rowColumns = heldColumns.with({ now: column.timestamptz('now()') })

export type HeldRun = RowOf<typeof rowColumns>

const visibleById = statement({
  name: 'run-facts-visible',
  exact: 'each-request',
  columns: rowColumns,
  params: { ...runViewer, runId: param.text() },
  text: `select ${rowColumns.sql} from runs u where u.id = :runId and ${visibleRun}`,
})

const lockById = statement({
  name: 'run-lock',
  columns: rowColumns,
  params: { id: param.text() },
  text: `select ${rowColumns.sql} from runs u where u.id = :id for update`,
})

/** The run with this id; 404 if the caller may not see it. */
export async function findRun(ctx: RequestContext, id: string): Promise<HeldRun> {
  const found = isId('run', id) ? await ctx.deps.db.query(visibleById, { ...visibleRuns(ctx.viewer), runId: id }) : []
  const [run] = found
  if (!run) throw notFound(`The run ${id.slice(0, 64)}`)
  return run
}

/** Locks the run's row until the transaction ends, and returns its current values; 404 if the run was deleted. */
export async function lockRun(tx: Querier, id: string): Promise<HeldRun> {
  const [run] = await tx.query(lockById, { id })
  if (!run) throw notFound(`The run ${id}`)
  return run
}

/** The credential that acts on a run, and what its request states about the claim. */
export interface RunActor extends JobActor {
  readonly hostedCallId?: string | null
  readonly resumeStep?: number | null
  readonly maxAttempts?: number
  /** Of a cancel: whether this deployment reaches what executes the run; default true. */
  readonly canBeEnded?: boolean
}

/** The facts of the state machine, from a run's row and the actor. */
export function runFacts(run: HeldRun, actor: RunActor): RunFacts {
  return {
    status: run.status,
    executor: run.executor,
    cancelRequested: run.cancelRequestedAt !== null,
    isClaimer: isClaimer(run, actor),
    isOwnCall: isOwnKey(run, actor) && run.hostedCallId === actor.hostedCallId,
    isBarred:
      run.barredCredential !== null &&
      run.barredCredential === actor.credentialId &&
      run.barredUntil !== null &&
      Date.parse(run.barredUntil) > Date.parse(run.now),
    namesHostedCall: actor.hostedCallId != null || actor.resumeStep != null,
    leaseOver: run.leaseOver,
    deadlineOver: isDeadlineOver(run),
    deadlineAsked: run.stopReason === 'max_hours',
    graceOver: isGraceOver(run),
    stopOver: isHostedStopOver(run),
    canBeEnded: actor.canBeEnded ?? true,
    attemptsSpent: run.lostLeases + 1 >= (actor.maxAttempts ?? Number.POSITIVE_INFINITY),
  }
}

/**
 * The status that follows from `trigger`. Throws the refusal of the state machine; for a claimed run it names the
 * holder.
 */
export function nextStatus(trigger: RunTrigger, run: HeldRun, actor: RunActor): JobStatus {
  const verdict = decideRun(trigger, runFacts(run, actor))
  if ('to' in verdict) return verdict.to
  const { refusal } = verdict
  throw refusal.type === 'conflict.lease_lost' ? leaseLost(run, refusal.detail) : refused(run, refusal)
}

function leaseLost({ barredUntil, now }: HeldRun, why: string): HubError {
  const until = barredUntil ?? now
  const detail = `${why} It may claim the run from ${until} on, or as soon as a report of the lost attempt was refused; other credentials may claim it now.`
  return new HubError('conflict.lease_lost', detail, {
    items: [{ type: 'conflict.lease_lost', detail, until }],
    facts: { retryAfterS: (Date.parse(until) - Date.parse(now)) / 1000 },
  })
}
