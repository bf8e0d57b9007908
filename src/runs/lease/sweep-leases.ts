/**
 * The sweep: a run whose runner did not report in time goes back to the queue, or ends; one that has reached a limit is asked to stop, and ended where it
 * does not. Spec, run state table; contract, "Run leases" and "max_hours".
 */
import { audit, noViewer } from '../../operation/audit.ts'
import type { Deps } from '../../operation/context.ts'
import type { Statement, Tx } from '../../store/db.ts'
import type { JobStatus } from '../../work/job-status.ts'
import { addNotice } from '../../work/log/notice.ts'
import { announceWaiting } from '../../work/waiting.ts'
import { endAttempt } from '../claim/attempts.ts'
import { chargeRun } from '../end/charge-run.ts'
import { runLog } from '../log/run-log.ts'
import { runJob } from '../run-job.ts'
import { type HeldRun, lockDueRun, lockRun, nextStatus } from '../run-row.ts'
import { deadlineError, dueSql, isDeadlineOver, isGraceOver, type LimitReached, limitReached } from './deadline.ts'
import { dropAttempt } from './drop-attempt.ts'

type SweepDeps = Pick<Deps, 'config' | 'db' | 'events' | 'log' | 'objects' | 'queue'>

const nextDue: Statement<{ id: string }> = {
  name: 'run-next-due',
  text: `select u.id from runs u where u.status = 'running' and ${dueSql} and u.id <> all($1::text[]) order by u.id limit 1`,
}

const putBack: Statement<never> = {
  name: 'run-sweep-back',
  text: `update runs set status = 'queued', lost_leases = lost_leases + 1, claimed_by = null, claim_credential = null, claimed_at = null,
      used_seconds = used_seconds + greatest(0, extract(epoch from now() - claimed_at)), heartbeat_at = null, lease_expires_at = null,
      started_at = null, cancel_requested_at = null, stop_reason = null, updated_at = now(),
      barred_credential = claim_credential, barred_until = now() + make_interval(secs => $3)
    where id = $1 and status = 'running' and attempt = $2`,
}

const end: Statement<never> = {
  name: 'run-sweep-end',
  text: `update runs set status = $3::"JobStatus", lost_leases = lost_leases + $6::int, lease_expires_at = null, finished_at = now(),
      cost_usd = $4::numeric, error = $5, updated_at = now()
    where id = $1 and status = 'running' and attempt = $2`,
}

const ask: Statement<never> = {
  name: 'run-sweep-ask',
  text: `update runs set cancel_requested_at = now(), stop_reason = $3, updated_at = now()
    where id = $1 and status = 'running' and attempt = $2 and cancel_requested_at is null`,
}

/**
 * Sweeps every run that is due, of those that no other hub is sweeping; returns how many. Each has a transaction of its own: one that cannot be swept is
 * left to the next time and keeps no other from it.
 */
export async function sweepLeases(deps: SweepDeps): Promise<number> {
  const failed: string[] = []
  for (let swept = 0; ; ) {
    const [run] = await deps.db.query(nextDue, [failed])
    if (!run) return swept
    try {
      if (await deps.db.withTx((tx) => sweepIfDue(deps, tx, run.id))) swept += 1
      else failed.push(run.id)
    } catch (error) {
      deps.log.error({ err: error, run: run.id }, 'a run that was due was not swept')
      failed.push(run.id)
    }
  }
}

/** Ends a run that was to stop at its deadline and had the time to, before the sweep comes by. Nothing for any other. */
export async function endOverdue(deps: SweepDeps, runId: string): Promise<void> {
  await deps.db.withTx(async (tx) => {
    const run = await lockRun(tx, runId)
    if (run.status === 'running' && isGraceOver(run)) await sweepRun(deps, tx, run)
  })
}

/** False when another hub or a report holds it, or its runner has reported since. */
async function sweepIfDue(deps: SweepDeps, tx: Tx, runId: string): Promise<boolean> {
  const run = await lockDueRun(tx, runId)
  if (!run) return false
  if (run.leaseOver || isGraceOver(run)) await sweepRun(deps, tx, run)
  else {
    const limit = limitReached(run)
    if (!limit) return false
    await askToStop(deps, tx, run, limit)
  }
  return true
}

async function askToStop(deps: SweepDeps, tx: Tx, run: HeldRun, { reason, notice }: LimitReached): Promise<void> {
  await tx.query(ask, [run.id, run.attempt, reason])
  await addNotice(tx, runLog, run.id, notice)
  tx.afterCommit(() => deps.events.hint(run.id))
}

async function sweepRun(deps: SweepDeps, tx: Tx, run: HeldRun): Promise<void> {
  const { maxAttempts } = deps.config.runs
  const to = nextStatus('sweep', run, { credentialId: null, maxAttempts })
  await endAttempt(tx, run, run.leaseOver ? 'swept' : 'stopped')
  if (to === 'queued') {
    await tx.query(putBack, [run.id, run.attempt, deps.config.runs.leaseSeconds])
    await dropAttempt(deps, tx, run.id, null)
    if (run.executor === 'worker') announceWaiting(tx, deps, runJob, run.ownerId)
  } else {
    const cost = await chargeRun(tx, run)
    await tx.query(end, [run.id, run.attempt, to, cost, errorOf(run, to), run.leaseOver ? 1 : 0])
    await deps.queue.send(tx, 'run-metrics-file', { runId: run.id })
  }
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

/** A run that fails here has used up its deadline or its leases. */
function errorOf(run: HeldRun, to: JobStatus): string | null {
  if (to !== 'failed') return null
  if (isDeadlineOver(run)) return deadlineError(run)
  return `The run lost its lease ${run.lostLeases + 1} times; its runners stopped reporting.`
}

function noticeOf(run: HeldRun, to: JobStatus): string {
  const lost = run.leaseOver
    ? `${run.claimedBy} did not report before its lease expired.`
    : `${run.claimedBy} did not stop in time.`
  if (to === 'queued') return `${lost} The run waits for another runner, and its metrics so far are dropped.`
  if (to === 'canceled') return `${lost} The run had been asked to stop and is canceled.`
  return isDeadlineOver(run) ? `${lost} ${deadlineError(run)}` : `${lost} That was once too often: the run has failed.`
}
