/** What a hosted endpoint reserves of its account's month. Contract, "Money that is reserved". */
import { readRestOfMonth, reserveSpend, type SpendRequest } from '../../billing/reservations.ts'
import type { AuditContext } from '../../operation/audit.ts'
import { mostOfHours, mostOfSeconds, type Usd, usdLess, usdSum } from '../../platform/money.ts'
import type { Querier } from '../../store/db.ts'

/** A rate, and what ends the work. */
export interface EndpointLimits {
  readonly rateUsdPerHour: Usd
  readonly maxHours: number | null
  readonly budgetUsd: Usd | null
}

/** The rate for `max_hours`, or the budget where that is less; null without either. Pure. */
export function cappedUsd({ rateUsdPerHour, maxHours, budgetUsd }: EndpointLimits): Usd | null {
  const byTime = maxHours === null ? null : mostOfHours(rateUsdPerHour, maxHours)
  return byTime !== null && budgetUsd !== null ? usdLess(byTime, budgetUsd) : (byTime ?? budgetUsd)
}

export interface Reserved {
  readonly amountUsd: Usd
  /** The end of what it covers; null: the whole job. */
  readonly coversTo: string | null
}

/**
 * The most that an endpoint can cost; without a limit until the end of the month, next to what it has cost before,
 * which no ledger row has yet.
 */
async function mostUntil(tx: Querier, limits: EndpointLimits, spentUsd: Usd): Promise<Reserved> {
  const capped = cappedUsd(limits)
  if (capped !== null) return { amountUsd: capped, coversTo: null }
  const { endsAt, seconds } = await readRestOfMonth(tx)
  return { amountUsd: usdSum(spentUsd, mostOfSeconds(limits.rateUsdPerHour, seconds)), coversTo: endsAt }
}

/** What creating such an endpoint reserves. */
export const reservedBy = (tx: Querier, limits: EndpointLimits): Promise<Reserved> => mostUntil(tx, limits, '0.0000')

/** The amount of it. */
export const mostOf = async (tx: Querier, limits: EndpointLimits): Promise<Usd> =>
  (await reservedBy(tx, limits)).amountUsd

export interface ReservedEndpoint extends EndpointLimits {
  readonly id: string
  readonly ownerId: string
}

/** What an endpoint reserves that has cost `spentUsd` so far. */
export async function reservationOf(tx: Querier, endpoint: ReservedEndpoint, spentUsd: Usd): Promise<SpendRequest> {
  const { id: jobId, ownerId: accountId } = endpoint
  return { jobId, jobKind: 'endpoint', accountId, isAllowance: false, ...(await mostUntil(tx, endpoint, spentUsd)) }
}

/** Reserves for a new endpoint. The caller has locked the account. 429 `quota.spend_cap`. */
export async function reserveEndpoint(tx: Querier, ctx: AuditContext, endpoint: ReservedEndpoint): Promise<void> {
  await reserveSpend(tx, ctx, await reservationOf(tx, endpoint, '0.0000'))
}
