/**
 * The time limit of hosted checks: the hub ends a check that has used it up, with the reason. `tendCalls` then ends the
 * hosted call.
 */
import { audit, noViewer } from '../../operation/audit.ts'
import type { Tx } from '../../store/db.ts'
import { deadlineSqlOf, isDeadlineOver } from '../../work/limits.ts'
import { endFailed } from '../../work/stop.ts'
import { type SweepDeps, sweepDue, sweepOf } from '../../work/sweep.ts'
import { checkJob } from '../check-job.ts'
import { type HeldCheck, lockCheck, nextStatus, rowColumns } from '../check-row.ts'
import { settleCheck } from './settle-check.ts'

const checkSweep = sweepOf<HeldCheck>({
  job: checkJob,
  columns: rowColumns,
  dueSql: `u.max_seconds is not null and ${deadlineSqlOf('u.max_seconds')} <= now()`,
  sweep: endOne,
})

/** Ends every check that is past its time limit and that no other hub is ending; returns their number. */
export function sweepChecks(deps: SweepDeps): Promise<number> {
  return sweepDue(deps, checkSweep)
}

/**
 * Ends a check that is past its time limit, without waiting for the sweep, so that a late report is refused. False if
 * the check is within its limit.
 */
export async function endOverdueCheck(deps: SweepDeps, check: HeldCheck): Promise<boolean> {
  if (check.status !== 'running' || !isDeadlineOver(check)) return false
  await deps.db.withTx(async (tx) => {
    const locked = await lockCheck(tx, check.id)
    if (locked.status === 'running') await endOne(deps, tx, locked)
  })
  return true
}

async function endOne(deps: SweepDeps, tx: Tx, check: HeldCheck): Promise<boolean> {
  const to = nextStatus('sweep', check, { credentialId: null })
  const costUsd = await settleCheck(deps, tx, check, false)
  const error = `The check used up its time limit of ${check.maxSeconds} seconds, and the hub ended it.`
  await endFailed(tx, checkJob, check.id, { reason: 'max_seconds', error, costUsd })
  await audit(tx, noViewer, {
    action: 'robot_check.sweep',
    accountId: check.ownerId,
    targetId: check.id,
    before: { status: check.status, worker: check.claimedBy },
    after: { status: to, error },
  })
  tx.afterCommit(() => deps.events.hint(check.id))
  return true
}
