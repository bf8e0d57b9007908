/**
 * Common steps at the end of a check: releases its repos, its reservation and the files and storage that are no longer
 * needed, and bills a hosted check.
 */
import { releaseSpend } from '../../billing/reservations.ts'
import type { Deps } from '../../operation/context.ts'
import type { Usd } from '../../platform/money.ts'
import { dropReferences } from '../../repos/references.ts'
import type { Tx } from '../../store/db.ts'
import { countStored } from '../../work/job-objects.ts'
import { chargeJob } from '../../work/meter.ts'
import { dropUnreported } from '../artifacts/artifact-rows.ts'
import { checkJob } from '../check-job.ts'
import type { HeldCheck } from '../check-row.ts'

/** Releases what a check kept: its repos may be deleted, and files that only this check kept are collected. */
export async function letGo(
  { queue }: Pick<Deps, 'queue'>,
  tx: Tx,
  { id, sourceRepoId }: Pick<HeldCheck, 'id' | 'sourceRepoId'>,
): Promise<void> {
  await dropReferences(tx, id)
  if (sourceRepoId !== null) await queue.send(tx, 'files-unpin', { repoIds: [sourceRepoId] })
}

/**
 * Runs in the transaction that ends the check, under its row lock and before its row changes. Returns the cost; null
 * for a worker check. `keepsFiles`: the check may still be published, so the files of its snapshot are kept.
 */
export async function settleCheck(
  deps: Pick<Deps, 'config' | 'queue'>,
  tx: Tx,
  check: HeldCheck,
  keepsFiles: boolean,
): Promise<Usd | null> {
  if (keepsFiles) await dropReferences(tx, check.id)
  else await letGo(deps, tx, check)
  const { id, ownerId } = check
  await countStored(tx, deps.config, checkJob, { id, ownerId, bytes: -(await dropUnreported(tx, id)) })
  if (!check.priced) return null
  await releaseSpend(tx, check.id)
  if (check.claimedAt === null) return '0.0000'
  return chargeJob(tx, { ...check, budgetUsd: null }, { jobKind: 'robot_check', kind: 'cpu', tier: null })
}
