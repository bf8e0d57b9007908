/** Chooses the place of a check, and reserves the most that a hosted check can cost. */
import { fitsAllowance, readAllowanceUsage } from '../../billing/allowance.ts'
import { tryReserveSpend } from '../../billing/reservations.ts'
import type { AuditContext } from '../../operation/audit.ts'
import type { HostedSettings } from '../../platform/config.ts'
import type { Usd } from '../../platform/money.ts'
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

export interface PlaceRequest extends Pick<ExecutorRequest, 'asked'> {
  readonly checkId: string
  readonly ownerId: string
  readonly terms: HostingTerms
}

/** The check can cost more than the rest of the agent's allowance, `leftUsd`: a person has to approve it. */
export interface BeyondAllowance {
  readonly leftUsd: Usd
}

/**
 * The place of a new check. The caller has locked the account, and inserts the check in the same transaction. Errors
 * for an explicit `hosted`: 403 `forbidden.hosted_allowance` if the check exceeds the allowance, 429 `quota.spend_cap`.
 * If no executor was requested, such a check goes to a worker.
 */
export async function takePlace(
  tx: Querier,
  ctx: AuditContext,
  settings: HostedSettings,
  { checkId, ownerId, terms, asked }: PlaceRequest,
): Promise<CheckPlace | BeyondAllowance> {
  if (terms === 'worker') return onWorker
  const amountUsd = maxCostUsd(settings)
  const isAllowance = terms !== 'hosted'
  if (isAllowance) {
    const usage = await readAllowanceUsage(tx, ownerId, settings.allowanceUsd)
    if (!fitsAllowance(usage, amountUsd)) {
      if (asked === null) return onWorker
      if (terms === 'agent') return { leftUsd: usage.remainingUsd }
      throw allowanceRefusal(settings, usage)
    }
  }
  const job = { jobId: checkId, jobKind: 'robot_check', accountId: ownerId, coversTo: null } as const
  const refusal = await tryReserveSpend(tx, ctx, { ...job, amountUsd, isAllowance })
  if (refusal === null) return onHost(settings)
  if (asked === null) return onWorker
  throw refusal
}
