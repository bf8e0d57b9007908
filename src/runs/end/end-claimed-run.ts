/** What the end of a claimed run always does, whoever ends it. */
import type { Deps } from '../../operation/context.ts'
import type { Usd } from '../../platform/money.ts'
import type { Tx } from '../../store/db.ts'
import { chargeJob } from '../../work/meter.ts'
import { type AttemptEnd, endAttempt } from '../claim/attempts.ts'
import type { HeldRun } from '../run-row.ts'

/** Closes the attempt, bills it and has the metrics file written, in the transaction that ends the run; returns what the run costs. */
export async function endClaimedRun(
  { queue }: Pick<Deps, 'queue'>,
  tx: Tx,
  run: HeldRun,
  how: AttemptEnd,
): Promise<Usd> {
  await endAttempt(tx, run, how)
  await queue.send(tx, 'run-metrics-file', { runId: run.id })
  return chargeJob(tx, run, { jobKind: 'run', kind: 'gpu', tier: run.priced ? run.gpuType : null })
}
