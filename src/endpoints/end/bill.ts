/**
 * What the sessions of an endpoint cost. Pure. Each costs its GPU time at the endpoint's rate, rounded once; in the
 * order of sessions, what passes the ceiling of the endpoint is not billed. Spec, "Endpoint" in "States and
 * transitions"; contract, "Endpoint cost".
 */
import { costOfSeconds, type Usd, usdLess, usdSum } from '../../platform/money.ts'
import { billedSeconds, type MeterFacts } from '../../work/meter.ts'

export interface BilledEndpoint extends Omit<MeterFacts, 'priced' | 'budgetUsd'> {
  /** What it has reserved: the most that was there when it was accepted, so no more than its budget. Null: nothing. */
  readonly reservedUsd: Usd | null
}

/**
 * The most that all sessions together can cost at `now`: the rate for the hub's own time since the claim, and no more
 * than is reserved.
 */
export function ceilingUsd(endpoint: BilledEndpoint, now: string): Usd {
  if (endpoint.rateUsdPerHour === null) return '0.0000'
  const byTime = costOfSeconds(endpoint.rateUsdPerHour, billedSeconds(endpoint, now))
  return endpoint.reservedUsd === null ? byTime : usdLess(byTime, endpoint.reservedUsd)
}

export interface Bill {
  /** In the order of the sessions. */
  readonly amounts: readonly Usd[]
  readonly totalUsd: Usd
}

/** The bill of sessions with so many GPU seconds each, as PostgreSQL's numeric writes them. */
export function billOf(rateUsdPerHour: Usd | null, gpuSeconds: readonly string[], ceiling: Usd): Bill {
  let left = ceiling
  const amounts = gpuSeconds.map((seconds) => {
    const amount = rateUsdPerHour === null ? '0.0000' : usdLess(costOfSeconds(rateUsdPerHour, seconds), left)
    left = usdSum(left, `-${amount}`)
    return amount
  })
  return { amounts, totalUsd: usdSum(...amounts) }
}

/** The total of the same bill, from the sum of what each session costs by itself. */
export const accruedUsd = (sumUsd: Usd, ceiling: Usd): Usd => usdLess(sumUsd, ceiling)
