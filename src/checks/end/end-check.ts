/** What the end of a check always does, whoever ends it: its repos may go, a hosted one is billed, and files that it kept for nothing are let go. */
import type { Deps } from '../../operation/context.ts'
import type { Usd } from '../../platform/money.ts'
import { dropReferences } from '../../repos/references.ts'
import type { Tx } from '../../store/db.ts'
import { chargeJob } from '../../work/meter.ts'
import type { HeldCheck } from '../check-row.ts'

/** In the transaction that ends the check, under its lock; returns what it costs. `keepsFiles`: it may still be published. */
export async function endCheck(
  { queue }: Pick<Deps, 'queue'>,
  tx: Tx,
  check: HeldCheck,
  keepsFiles: boolean,
): Promise<Usd | null> {
  await dropReferences(tx, check.id)
  if (check.sourceRepoId !== null && !keepsFiles) await queue.send(tx, 'files-unpin', { repoIds: [check.sourceRepoId] })
  if (!check.priced || check.claimedAt === null) return null
  const charged = { ...check, budgetUsd: null, deadlineAt: null }
  return chargeJob(tx, charged, { jobKind: 'robot_check', kind: 'cpu', tier: null })
}
