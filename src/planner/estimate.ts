/** The most that a run can cost. Pure. Spec, "RunEstimate". */
import { mostOfHours, type Usd, usdLess } from '../platform/money.ts'
import type { RunExecutor } from './recipe/recipe.ts'
import type { RunPlan } from './run-plan.ts'

/** Money has four decimals. */
export interface RunEstimate {
  readonly executor: RunExecutor
  readonly tier: string | null
  readonly rateUsdPerHour: Usd
  readonly hostRateUsdPerHour: Usd
  readonly maxHours: number
  readonly costUsdMax: Usd
  readonly budgetUsd: Usd | null
  /** The budget is less than rate x hours. */
  readonly cappedByBudget: boolean
  readonly priced: boolean
}

/** Rate x wall-clock cap, rounded up and limited by the budget; 0 for a plan that is not priced. */
export function estimateOf(plan: RunPlan): RunEstimate {
  const { budgetUsd, rateUsdPerHour, maxHours } = plan
  const uncapped = mostOfHours(rateUsdPerHour, maxHours)
  const costUsdMax = budgetUsd === null ? uncapped : usdLess(uncapped, budgetUsd)
  return {
    executor: plan.executor,
    tier: plan.tier?.tier ?? null,
    rateUsdPerHour,
    hostRateUsdPerHour: plan.hostRateUsdPerHour,
    maxHours,
    costUsdMax,
    budgetUsd,
    cappedByBudget: costUsdMax !== uncapped,
    priced: plan.isPriced,
  }
}
