/** Reserves what a hosted check may cost where its account has an allowance. */
import { reserveAllowance } from '../../billing/allowance.ts'
import type { HostedSettings } from '../../platform/config.ts'
import type { Querier } from '../../store/db.ts'
import {
  allowanceRefusal,
  type CheckPlace,
  type ExecutorRequest,
  type HostingTerms,
  maxCostUsd,
  onHost,
  onWorker,
} from './choose-executor.ts'

/**
 * The place of a new check on these terms. The caller has locked the account, and inserts the check in the same transaction. 403 `forbidden.hosted_allowance` for
 * an explicit `hosted` that does not fit; without one such a check goes to a worker.
 */
export async function takePlace(
  tx: Querier,
  settings: HostedSettings,
  terms: HostingTerms,
  check: { readonly id: string; readonly ownerId: string },
  { asked, isAgent }: Pick<ExecutorRequest, 'asked' | 'isAgent'>,
): Promise<CheckPlace> {
  if (terms === 'worker') return onWorker
  if (terms === 'hosted') return onHost(settings)
  const exceeded = await reserveAllowance(tx, {
    jobId: check.id,
    accountId: check.ownerId,
    amountUsd: maxCostUsd(settings),
    limitUsd: settings.allowanceUsd,
  })
  if (exceeded === null) return onHost(settings)
  if (asked === null) return onWorker
  throw allowanceRefusal(settings, isAgent, exceeded)
}
