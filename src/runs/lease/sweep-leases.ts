/**
 * The sweep: requeues or ends a run whose runner did not report in time; asks a run that has reached a limit to stop,
 * and ends it if it does not. Spec, run state table; contract, "Claims and leases" and "Deadlines and cost".
 *
 * A credential that lost a run's lease is barred. Reports do not identify the runner, so of two runners with one
 * credential, the runner that lost its lease could end the attempt of the other. The credential can claim the run again
 * only after the lost runner was notified (its stale report was rejected), or after one more lease duration. Other
 * credentials can claim the run at once.
 */
import { requireCredential } from '../../auth/policy.ts'
import { audit, noViewer } from '../../operation/audit.ts'
import type { RequestContext } from '../../operation/context.ts'
import { HubError } from '../../platform/errors.ts'
import type { Usd } from '../../platform/money.ts'
import { leaseLost } from '../../platform/signals.ts'
import { column, columns } from '../../store/columns.ts'
import type { Tx } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import type { JobStatus } from '../../work/job-state.ts'
import {
  deadlineError,
  graceOverSqlOf,
  hostedStopOverSql,
  isDeadlineOver,
  isGraceOver,
  isHostedStopOver,
  type LimitFacts,
  type LimitReached,
  limitReached,
  type StopFacts,
} from '../../work/limits.ts'
import { addNotice, endOpenLine } from '../../work/log/write-chunks.ts'
import { accruedUsd, type MeterFacts } from '../../work/meter.ts'
import { announceEnd, askToStop } from '../../work/stop.ts'
import { type SweepDeps, sweepDue, sweepOf } from '../../work/sweep.ts'
import { announceWaiting } from '../../work/waiting.ts'
import { endAttempt } from '../claim/attempts.ts'
import { settleRun } from '../end/settle-run.ts'
import { runLog } from '../log/run-log.ts'
import { deadlineSql, runJob } from '../run-job.ts'
import { type HeldRun, lockRun, nextStatus, rowColumns } from '../run-row.ts'
import { dropAttempt } from './drop-attempt.ts'

const accruedSql = 'u.rate_usd_per_hour * extract(epoch from now() - u.claimed_at) / 3600'

/**
 * Whether a running run `u` is due for the sweep: its lease has expired, a limit is reached and no stop was requested,
 * or it did not stop in time.
 */
const dueSql = `(u.lease_expires_at <= now() or ${graceOverSqlOf(deadlineSql)} or ${hostedStopOverSql}
  or u.cancel_requested_at is null and (${deadlineSql} <= now() or u.priced and u.budget_usd <= ${accruedSql}))`

/** Whether a running run was asked to stop and has not in its time, so that the hub ends it. */
function isStopOverdue(run: StopFacts & Pick<LimitFacts, 'deadlineAt'>): boolean {
  return isGraceOver(run) || isHostedStopOver(run)
}

/** The limit that a running run has reached; null if none, or if it was already asked to stop. */
export function limitOfRun(run: LimitFacts & Omit<MeterFacts, 'finishedAt'>): LimitReached | null {
  return limitReached('run', run, accruedUsd({ ...run, finishedAt: null }, run.now))
}

const fenced = { runId: param.text(), attempt: param.int4() }

const putBack = statement({
  name: 'run-sweep-back',
  params: { ...fenced, leaseSeconds: param.float8() },
  text: `update runs set status = 'queued', lost_leases = lost_leases + 1, claimed_by = null, claim_credential = null,
    claimed_at = null,
      used_seconds = used_seconds + greatest(0, extract(epoch from now() - claimed_at)), heartbeat_at = null,
        lease_expires_at = null,
      started_at = null, cancel_requested_at = null, stop_reason = null, updated_at = now(),
      barred_credential = claim_credential, barred_until = now() + make_interval(secs => :leaseSeconds)
    where id = :runId and status = 'running' and attempt = :attempt`,
})

const end = statement({
  name: 'run-sweep-end',
  params: {
    ...fenced,
    status: param.enum('JobStatus'),
    costUsd: param.numeric<Usd>(),
    error: param.text.orNull(),
    /** 1 if the lease expired. */
    lost: param.int4(),
  },
  text: `update runs set status = :status::"JobStatus", lost_leases = lost_leases + :lost::int, lease_expires_at = null,
    finished_at = now(),
      cost_usd = :costUsd::numeric, error = :error, updated_at = now()
    where id = :runId and status = 'running' and attempt = :attempt`,
})

const runSweep = sweepOf<HeldRun>({ job: runJob, columns: rowColumns, dueSql, sweep: sweepIfDue })

/** Sweeps every due run that no other hub is sweeping; returns their number. */
export function sweepLeases(deps: SweepDeps): Promise<number> {
  return sweepDue(deps, runSweep)
}

/**
 * Ends a run that was asked to stop and has not in its time, without waiting for the sweep, so that a late report is
 * refused. False if it is in time.
 */
export async function endOverdueRun(
  deps: SweepDeps,
  run: Pick<HeldRun, 'id' | 'status'> & Parameters<typeof isStopOverdue>[0],
): Promise<boolean> {
  if (run.status !== 'running' || !isStopOverdue(run)) return false
  await deps.db.withTx(async (tx) => {
    const locked = await lockRun(tx, run.id)
    if (locked.status === 'running' && isStopOverdue(locked)) await sweepRun(deps, tx, locked)
  })
  return true
}

/** False if its runner has reported since the run was selected. */
async function sweepIfDue(deps: SweepDeps, tx: Tx, run: HeldRun): Promise<boolean> {
  if (run.leaseOver || isStopOverdue(run)) {
    await sweepRun(deps, tx, run)
    return true
  }
  const limit = limitOfRun(run)
  if (!limit) return false
  await askToStop(tx, runJob, run.id, limit.reason)
  await addNotice(tx, runLog, run.id, limit.notice)
  tx.afterCommit(() => deps.events.hint(run.id))
  return true
}

async function sweepRun(deps: SweepDeps, tx: Tx, run: HeldRun): Promise<void> {
  const { maxAttempts } = deps.config.runs
  const to = nextStatus('sweep', run, { credentialId: null, maxAttempts })
  const how = run.leaseOver ? 'swept' : 'stopped'
  const fence = { runId: run.id, attempt: run.attempt }
  if (to === 'queued') {
    await endAttempt(tx, run, how)
    await tx.query(putBack, { ...fence, leaseSeconds: deps.config.runs.leaseSeconds })
    await dropAttempt(deps, tx, run.id, null)
    if (run.executor === 'worker' && !run.selfStarted) announceWaiting(tx, deps, runJob, run.ownerId)
  } else {
    const costUsd = await settleRun(deps, tx, run, how)
    await tx.query(end, { ...fence, status: to, costUsd, error: errorOf(run, to), lost: run.leaseOver ? 1 : 0 })
    announceEnd(tx, runJob, to)
  }
  if (run.leaseOver) tx.afterCommit(() => leaseLost.send({ kind: runJob.name }))
  await endOpenLine(tx, runLog, run.id)
  await addNotice(tx, runLog, run.id, noticeOf(run, to))
  await audit(tx, noViewer, {
    action: 'run.sweep',
    accountId: run.ownerId,
    targetId: run.id,
    before: { status: 'running', worker: run.claimedBy, attempt: run.attempt },
    after: { status: to },
  })
  tx.afterCommit(() => deps.events.hint(run.id))
}

/** A run that fails here has exceeded its deadline or its lost leases. */
function errorOf(run: HeldRun, to: JobStatus): string | null {
  if (to !== 'failed') return null
  if (isDeadlineOver(run)) return deadlineError('run', run)
  return `The run lost its lease ${run.lostLeases + 1} times; its runners stopped reporting.`
}

function noticeOf(run: HeldRun, to: JobStatus): string {
  const lost = run.leaseOver
    ? `${run.claimedBy} did not report before its lease expired.`
    : `${run.claimedBy} did not stop in time.`
  const next = run.selfStarted ? 'the process that started it' : 'another runner'
  if (to === 'queued') return `${lost} The run waits for ${next}, and its metrics so far are dropped.`
  if (to === 'canceled') return `${lost} The run had been asked to stop and is canceled.`
  return isDeadlineOver(run)
    ? `${lost} ${deadlineError('run', run)}`
    : `${lost} The maximum number of lost leases is exceeded: the run has failed.`
}

/** A report without an attempt is attributed to the runner of the last attempt. */
const ownerColumn = columns({ ownerId: column.text('owner_id') })
const liftBar = statement({
  name: 'run-bar-lift',
  columns: ownerColumn,
  params: { runId: param.text(), credentialId: param.text(), attempt: param.int4.orNull() },
  text: `update runs set barred_credential = null, barred_until = null
    where id = :runId and status = 'queued' and barred_credential = :credentialId
      and (:attempt::int is null or attempt = :attempt)
    returning ${ownerColumn.sql}`,
})

/** Rethrows why a report failed. If its attempt is stale, it records first that the runner has been notified. */
export async function noteStaleReport(
  ctx: RequestContext,
  { runId, attempt = null }: { readonly runId: string; readonly attempt?: number | null },
  error: unknown,
): Promise<never> {
  if (error instanceof HubError && error.type === 'conflict.not_claimer') await noteStale(ctx, runId, attempt)
  throw error
}

async function noteStale(ctx: RequestContext, runId: string, attempt: number | null): Promise<void> {
  const { credentialId } = requireCredential(ctx.viewer)
  await ctx.deps.db.withTx(async (tx) => {
    const [run] = await tx.query(liftBar, { runId, credentialId, attempt })
    if (run) announceWaiting(tx, ctx.deps, runJob, run.ownerId)
  })
}
