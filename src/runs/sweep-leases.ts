/** The lease sweep: a run whose runner was not heard of in time goes back to the queue, or ends. Spec, run state table; contract, "Run leases". */
import { audit, noViewer } from '../accounts/audit.ts'
import type { Deps } from '../context.ts'
import type { Statement, Tx } from '../store/db.ts'
import { endAttempt } from './attempts.ts'
import { chargeRun } from './charge-run.ts'
import { dropMetrics } from './drop-metrics.ts'
import { addNotice } from './log/log-chunks.ts'
import { type HeldRun, lockLostRun, nextStatus } from './run-row.ts'
import { announceWaiting } from './waiting-runs.ts'

type SweepDeps = Pick<Deps, 'config' | 'db' | 'events' | 'log' | 'queue'>

const nextLost: Statement<{ id: string }> = {
  name: 'run-next-lost',
  text: `select u.id from runs u where u.status = 'running' and u.lease_expires_at <= now() and u.id <> all($1::text[]) order by u.id limit 1`,
}

const putBack: Statement<never> = {
  name: 'run-sweep-back',
  text: `update runs set status = 'queued', lost_leases = lost_leases + 1, claimed_by = null, claim_credential = null, claimed_at = null,
      heartbeat_at = null, lease_expires_at = null, started_at = null, cancel_requested_at = null, stop_reason = null, updated_at = now()
    where id = $1 and status = 'running' and attempt = $2`,
}

const end: Statement<never> = {
  name: 'run-sweep-end',
  text: `update runs set status = $3::"JobStatus", lost_leases = lost_leases + 1, lease_expires_at = null, finished_at = now(),
      cost_usd = $4::numeric, error = $5, updated_at = now()
    where id = $1 and status = 'running' and attempt = $2`,
}

/**
 * Sweeps every run whose lease has run out, of those that no other hub is sweeping; returns how many. Each has a transaction of its own: one that cannot be
 * swept is left to the next time and keeps no other from it.
 */
export async function sweepLeases(deps: SweepDeps): Promise<number> {
  const failed: string[] = []
  for (let swept = 0; ; ) {
    const [run] = await deps.db.query(nextLost, [failed])
    if (!run) return swept
    try {
      if (await deps.db.withTx((tx) => sweepIfLost(deps, tx, run.id))) swept += 1
      else failed.push(run.id)
    } catch (error) {
      deps.log.error({ err: error, run: run.id }, 'a run that lost its lease was not swept')
      failed.push(run.id)
    }
  }
}

/** False when another hub or a report holds it, or it has been heard of since. */
async function sweepIfLost(deps: SweepDeps, tx: Tx, runId: string): Promise<boolean> {
  const run = await lockLostRun(tx, runId)
  if (run) await sweepRun(deps, tx, run)
  return run !== null
}

async function sweepRun(deps: SweepDeps, tx: Tx, run: HeldRun): Promise<void> {
  const { maxAttempts } = deps.config.runs
  const to = nextStatus('sweep', run, { credentialId: null, maxAttempts })
  await endAttempt(tx, run, 'swept')
  if (to === 'queued') {
    await tx.query(putBack, [run.id, run.attempt])
    await dropMetrics(tx, run.id, null)
    if (run.executor === 'worker') announceWaiting(tx, deps, run.ownerId)
  } else {
    const error =
      to === 'failed' ? `The run lost its lease ${run.lostLeases + 1} times; its runners stopped reporting.` : null
    await tx.query(end, [run.id, run.attempt, to, await chargeRun(tx, run), error])
    await deps.queue.send(tx, 'run-metrics-file', { runId: run.id })
  }
  await addNotice(tx, run.id, noticeOf(run, to))
  await audit(tx, noViewer, {
    action: 'run.sweep',
    accountId: run.ownerId,
    targetId: run.id,
    before: { status: 'running', worker: run.claimedBy, attempt: run.attempt },
    after: { status: to },
  })
  tx.afterCommit(() => deps.events.hint(run.id))
}

function noticeOf(run: HeldRun, to: string): string {
  const lost = `${run.claimedBy} was not heard of before its lease ran out.`
  if (to === 'queued') return `${lost} The run waits for another runner, and its metrics so far are dropped.`
  if (to === 'canceled') return `${lost} The run had been asked to stop and is canceled.`
  return `${lost} That was once too often: the run has failed.`
}
