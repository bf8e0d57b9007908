/**
 * Recommends a tier for a recipe and estimates time and cost; deterministic, with the calculation shown. Pure. Spec,
 * "RunRecommendation".
 */
import { costOfHours, mostOfHours, type Usd, usd, usdLess, usdSum } from '../platform/money.ts'
import type { HardwareTier } from '../platform/tier-table.ts'
import type { DatasetFacts } from './dataset-facts.ts'
import { type PlannerInputs, resolveInputs } from './inputs.ts'
import { type Measured, type MeasuredBy, pickMeasured } from './measured.ts'
import type { Recipe, RunExecutor } from './recipe/recipe.ts'
import { hostRateOf, mayHostOn, type PlannerSettings, type RunPlan } from './run-plan.ts'
import { hasFigures, type Template, type TrainingMethod } from './templates.ts'
import { timeOf } from './time.ts'
import { rounded, vramOf } from './vram.ts'

export interface RunRecommendation {
  readonly template: string
  readonly modelFamily: string
  readonly controlClass: Template['controlClass']
  readonly method: TrainingMethod
  readonly implemented: boolean
  readonly executor: RunExecutor
  readonly tier: string | null
  readonly requestedTier: string | null
  readonly vramEstimateGb: number
  readonly vramRequiredGb: number
  readonly headroom: number
  readonly fitsOn: readonly string[]
  readonly estHours: number | null
  readonly rateUsdPerHour: Usd
  readonly costUsdEst: Usd | null
  readonly costUsdMax: Usd
  readonly priced: boolean
  readonly basis: 'modelled' | 'measured'
  readonly measured: Measured | null
  readonly measuredBy: MeasuredBy | null
  readonly inputs: PlannerInputs
  readonly dataset: DatasetFacts | null
  readonly why: readonly string[]
  readonly warnings: readonly string[]
}

export interface RecommendFacts {
  readonly recipe: Recipe
  readonly plan: RunPlan
  readonly dataset: DatasetFacts | null
  readonly datasetWarnings: readonly string[]
  /**
   * Measurements of this template with the recipe's batch size, on tiers of this deployment: those of the billed
   * account and the hub's.
   */
  readonly measured: readonly Measured[]
  readonly settings: PlannerSettings
}

/** The batch size that keys the measurements of a recipe. */
export function measuredBatch(plan: RunPlan, recipe: Recipe): number {
  return resolveInputs(plan.template, recipe, null).inputs.batchSize
}

/** The recommendation for a recipe. */
export function recommendOf(facts: RecommendFacts): RunRecommendation {
  const { recipe, plan, dataset, settings } = facts
  const { template, executor, isPriced } = plan
  const { headroom } = settings.runs
  const resolved = resolveInputs(template, recipe, dataset)
  const { inputs } = resolved
  const measured = pickMeasured(facts.measured, recipe.gpu ?? null, settings.tiers)
  const vram = measured ? measuredVram(measured, template) : vramOf(template, inputs)
  const requiredGb = rounded(vram.vramGb * (1 + headroom))
  const fitting = settings.tiers.filter(({ vramGb }) => vramGb >= requiredGb)
  const tier = fitting.find((candidate) => !isPriced || mayHostOn(template, candidate.tier)) ?? null
  const time = tier ? timeOf({ template, inputs, tier, measured, tiers: settings.tiers }) : null
  const cost = costOf(facts, tier, time?.hours ?? null)
  return {
    template: template.name,
    modelFamily: template.family,
    controlClass: template.controlClass,
    method: template.method,
    implemented: template.isImplemented,
    executor,
    tier: tier?.tier ?? null,
    requestedTier: recipe.gpu ?? null,
    vramEstimateGb: vram.vramGb,
    vramRequiredGb: requiredGb,
    headroom,
    fitsOn: fitting.map((candidate) => candidate.tier),
    estHours: time?.hours ?? null,
    rateUsdPerHour: cost.rate,
    costUsdEst: cost.estimate,
    costUsdMax: cost.most,
    priced: isPriced,
    basis: measured ? 'measured' : 'modelled',
    measured,
    measuredBy: measured?.by ?? null,
    inputs,
    dataset,
    why: [
      `template: ${template.name}, ${template.family}, ${template.method}`,
      resolved.why,
      ...vram.why,
      `required: ${vram.vramGb} GB x ${rounded(1 + headroom, 4)} (headroom) = ${requiredGb} GB`,
      fitting.length > 0 ? `fits on: ${fitting.map(sizeOf).join(', ')}` : 'fits on: no tier',
      ...(time?.why ?? []),
      ...limitWhy(plan),
      ...cost.why,
    ],
    warnings: [
      ...templateWarnings(template),
      ...facts.datasetWarnings,
      ...resolved.warnings,
      ...tierWarnings(facts, requiredGb, tier),
      ...limitWarnings(plan, time?.hours ?? null, cost.unlimited),
    ],
  }
}

const sizeOf = ({ tier, vramGb }: HardwareTier) => `${tier} (${vramGb} GB)`

const measurers = { account: 'of this account', hub: 'observed by the hub' } as const

function measuredVram({ by, tier, batchSize, peakVramGb, samplesPerS, nRuns }: Measured, template: Template) {
  const vramGb = rounded(peakVramGb)
  const runs = `${nRuns === 1 ? '1 run' : `${nRuns} runs`} ${measurers[by]}`
  const why = `measured: ${runs} with ${template.keys.samples} ${batchSize} on ${tier}, peak ${vramGb} GB, ${rounded(samplesPerS)} samples/s`
  return { vramGb, why: [why] }
}

interface Cost {
  readonly rate: Usd
  readonly estimate: Usd | null
  readonly most: Usd
  /** The estimate before the wall-clock limit and the budget cap it. */
  readonly unlimited: Usd | null
  readonly why: readonly string[]
}

/** A worker is not billed; without a fitting tier there is nothing to bill. */
function costOf({ plan, settings }: RecommendFacts, tier: HardwareTier | null, hours: number | null): Cost {
  const nothing = usd(0)
  if (!plan.isPriced) {
    const why = [`cost: 0, a worker is not billed`]
    return { rate: nothing, estimate: nothing, most: nothing, unlimited: null, why }
  }
  if (!tier || hours === null) return { rate: nothing, estimate: null, most: nothing, unlimited: null, why: [] }
  const hostRate = hostRateOf(plan.template, plan.executor, settings)
  const rate = usdSum(tier.rateUsdPerHour, hostRate)
  const unlimited = costOfHours(rate, hours)
  const cap = mostOfHours(rate, plan.maxHours)
  const most = plan.budgetUsd === null ? cap : usdLess(cap, plan.budgetUsd)
  const rates = Number(hostRate) > 0 ? [`rate: ${tier.rateUsdPerHour} + ${hostRate} (host) = ${rate} USD/h`] : []
  const budget = most === cap ? [] : [`budget: ${most} USD is less, so it is used`]
  return {
    rate,
    estimate: usdLess(unlimited, most),
    most,
    unlimited,
    why: [
      ...rates,
      `cost: ${hours} h x ${rate} USD/h = ${unlimited} USD`,
      `most: ${plan.maxHours} h x ${rate} USD/h = ${cap} USD`,
      ...budget,
    ],
  }
}

function templateWarnings(template: Template): string[] {
  if (!template.isImplemented)
    return [`${template.name} is planned: no executor implements it yet, so it cannot be submitted.`]
  if (hasFigures(template)) return []
  return [
    `${template.name} is this deployment's own template: its size is unknown, and the figures are those of a medium-sized imitation policy.`,
  ]
}

function tierWarnings(
  { recipe, plan, settings }: RecommendFacts,
  requiredGb: number,
  tier: HardwareTier | null,
): string[] {
  const warnings: string[] = []
  const requested = settings.tiers.find((candidate) => candidate.tier === recipe.gpu)
  if (requested && requested.vramGb < requiredGb)
    warnings.push(`${sizeOf(requested)} is requested, which is less than the ${requiredGb} GB required.`)
  if (tier) return warnings
  const fewer = `a smaller ${plan.template.keys.samples} needs less`
  return [...warnings, `No tier that this run may use has ${requiredGb} GB; ${fewer}.`]
}

/** The limit of a priced run stands in its cost. */
function limitWhy({ isPriced, limitHours }: RunPlan): string[] {
  if (isPriced) return []
  return limitHours === null
    ? ['limit: none, a worker run without max_hours lasts until its runner ends it']
    : [`limit: max_hours ends it after ${limitHours} h`]
}

function limitWarnings({ limitHours, budgetUsd }: RunPlan, hours: number | null, unlimited: Usd | null): string[] {
  const warnings: string[] = []
  if (hours !== null && limitHours !== null && hours > limitHours)
    warnings.push(`It takes about ${hours} h, and max_hours ends it after ${limitHours} h.`)
  if (unlimited !== null && budgetUsd !== null && Number(unlimited) > Number(budgetUsd))
    warnings.push(`It costs about ${unlimited} USD, and the budget ends it at ${budgetUsd} USD.`)
  return warnings
}
