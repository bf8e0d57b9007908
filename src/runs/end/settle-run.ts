/** Common steps at the end of a claimed run. */
import { releaseSpend } from '../../billing/reservations.ts'
import type { Deps } from '../../operation/context.ts'
import type { Usd } from '../../platform/money.ts'
import type { Tx } from '../../store/db.ts'
import { chargeJob } from '../../work/meter.ts'
import { type AttemptEnd, endAttempt } from '../claim/attempts.ts'
import type { HeldRun } from '../run-row.ts'

/**
 * Closes the attempt, bills it, releases its reservation and enqueues the metrics file, in the transaction that ends
 * the run; returns the cost of the run.
 */
export async function settleRun({ queue }: Pick<Deps, 'queue'>, tx: Tx, run: HeldRun, how: AttemptEnd): Promise<Usd> {
  await endAttempt(tx, run, how)
  if (run.priced) await releaseSpend(tx, run.id)
  await queue.send(tx, 'run-metrics-file', { runId: run.id })
  return chargeJob(tx, run, { jobKind: 'run', kind: 'gpu', tier: run.priced ? run.gpuType : null })
}
