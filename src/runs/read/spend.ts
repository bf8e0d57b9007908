/** What a run has cost so far: one function for what is shown, what a budget is compared with and what is billed at the end. Pure. */
import { costOfSeconds, type Usd, usdLess, usdSum } from '../../platform/money.ts'

/** Times are RFC 3339; `rateUsdPerHour` has four decimals and is null on an unpriced run. */
export interface SpendFacts {
  readonly priced: boolean
  readonly rateUsdPerHour: Usd | null
  readonly budgetUsd: Usd | null
  readonly claimedAt: string | null
  readonly cancelRequestedAt: string | null
  /** When `max_hours` is used up; null where there is no such time. */
  readonly deadlineAt: string | null
  readonly finishedAt: string | null
  /** What was billed; null before the end. */
  readonly costUsd: Usd | null
}

export interface RunSpend {
  readonly priced: boolean
  readonly accruedUsd: number | null
  readonly rateUsdPerHour: number | null
  readonly budgetUsd: number | null
  readonly remainingUsd: number | null
  readonly final: boolean
  readonly asOf: string
}

/** Billing stops within this time of a cancel, however long the runner takes to obey. */
const BILLED_AFTER_CANCEL_MS = 60_000

const timeOr = (time: string | null, otherwise: number) => (time === null ? otherwise : Date.parse(time))

/** Seconds that a claim has lasted for the bill: from the claim to the end or `now`, to a minute after a cancel and to the deadline at most. */
export function billedSeconds(
  run: Pick<SpendFacts, 'claimedAt' | 'cancelRequestedAt' | 'deadlineAt' | 'finishedAt'>,
  now: string,
): number {
  if (run.claimedAt === null) return 0
  const canceled = timeOr(run.cancelRequestedAt, Number.POSITIVE_INFINITY) + BILLED_AFTER_CANCEL_MS
  const deadline = timeOr(run.deadlineAt, Number.POSITIVE_INFINITY)
  const end = Math.min(Date.parse(run.finishedAt ?? now), canceled, deadline)
  return Math.max(0, end - Date.parse(run.claimedAt)) / 1000
}

/** What a run has cost at `now`: nothing unless it is priced and was claimed, and never more than its estimate said: neither deadline nor budget is passed. */
export function accruedUsd(run: SpendFacts, now: string): Usd {
  if (!run.priced || run.rateUsdPerHour === null) return '0.0000'
  const cost = costOfSeconds(run.rateUsdPerHour, billedSeconds(run, now))
  return run.budgetUsd === null ? cost : usdLess(cost, run.budgetUsd)
}

/** RunSpend of the spec; the numbers of an unpriced run are null. */
export function spendOf(run: SpendFacts, now: string): RunSpend {
  const final = run.finishedAt !== null
  const asOf = run.finishedAt ?? now
  if (!run.priced || run.rateUsdPerHour === null)
    return { priced: false, accruedUsd: null, rateUsdPerHour: null, budgetUsd: null, remainingUsd: null, final, asOf }
  const accrued = final && run.costUsd !== null ? run.costUsd : accruedUsd(run, now)
  return {
    priced: true,
    accruedUsd: Number(accrued),
    rateUsdPerHour: Number(run.rateUsdPerHour),
    budgetUsd: run.budgetUsd === null ? null : Number(run.budgetUsd),
    remainingUsd: run.budgetUsd === null ? null : Math.max(0, Number(usdSum(run.budgetUsd, `-${accrued}`))),
    final,
    asOf,
  }
}
