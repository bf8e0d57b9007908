/** The cost of a run so far, for display. Pure. Spec, RunSpend. */
import { type Usd, usdSum } from '../../platform/money.ts'
import { accruedUsd, type MeterFacts } from '../../work/meter.ts'

export interface SpendFacts extends MeterFacts {
  /** The billed cost; null before the end. */
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
