/** Resolves a recipe to template, executor, tier and rate on this deployment. Pure. Spec, "Recipe" and createRun. */

import { type ErrorItem, HubError, type Loc } from '../platform/errors.ts'
import { type Usd, usd, usdLimit, usdSum } from '../platform/money.ts'
import type { RunSettings } from '../platform/run-settings.ts'
import type { HardwareTier, TierTable } from '../platform/tier-table.ts'
import { assertHostedBudget, hostedHoursFault } from './least-hosted.ts'
import { DEFAULT_MAX_HOURS, type Recipe, type RunExecutor } from './recipe/recipe.ts'
import { findTemplate, type Template, templateNames } from './templates.ts'

/** Settings of the deployment that recipes are resolved with. */
export interface PlannerSettings {
  readonly tiers: TierTable
  readonly runs: Pick<RunSettings, 'extraTemplates' | 'headroom'>
  readonly hosted: { readonly simHostRateUsdPerHour: Usd }
}

/** The settings with `template` added, for a run that the requesting process itself executes. */
export function withTemplate<Settings extends PlannerSettings>(settings: Settings, template: string): Settings {
  const { runs } = settings
  return { ...settings, runs: { ...runs, extraTemplates: [...runs.extraTemplates, template] } }
}

export interface RunPlan {
  readonly template: Template
  readonly executor: RunExecutor
  /** The billed tier, or the GPU class in a worker's recipe. */
  readonly tier: HardwareTier | null
  /** What is reserved and billed at most; 4 where the recipe gives none. */
  readonly maxHours: number
  /**
   * When the hub ends the run; null for a worker run whose recipe has no `max_hours`: nothing but its runner ends it.
   */
  readonly limitHours: number | null
  readonly budgetUsd: Usd | null
  /** True for hosted runs; worker runs cost nothing. */
  readonly isPriced: boolean
  readonly hostRateUsdPerHour: Usd
  /** Tier and host together; zero for a worker. */
  readonly rateUsdPerHour: Usd
}

const FREE = usd(0)

/** Tiers of the sim template on hosted hardware, the default first: its simulator does not benefit from larger GPUs. */
const simTiers: readonly string[] = ['l40s', 'l4', 'a10g']

/** Whether hosted runs of the template may use the tier. */
export function mayHostOn(template: Template, tier: string): boolean {
  return !template.isSim || simTiers.includes(tier)
}

/**
 * Resolves a recipe. 422 with one entry for each fault: an unknown template, an unknown GPU, a GPU that the sim
 * template is not hosted on, a hosted run of less than a minute; then for a budget that does not pay a hosted run's
 * minute.
 */
export function planRun(recipe: Recipe, settings: PlannerSettings): RunPlan {
  const faults: ErrorItem[] = []
  const template = findTemplate(recipe.template, settings.runs.extraTemplates)
  if (!template) faults.push(unknownTemplate(recipe.template, settings))
  const executor = recipe.executor ?? 'worker'
  const gpu = recipe.gpu ?? null
  if (gpu !== null && !settings.tiers.some(({ tier }) => tier === gpu)) faults.push(unknownGpu(gpu, settings))
  else if (template?.isSim && executor === 'hosted' && gpu !== null && !mayHostOn(template, gpu))
    faults.push(
      fault(
        `${template.name} is hosted on ${simTiers.join(', ')}, not on ${gpu}; a worker may run it anywhere.`,
        'gpu',
      ),
    )
  const isPriced = executor === 'hosted'
  const tooShort = isPriced ? hostedHoursFault(recipe.max_hours, ['recipe', 'maxHours']) : null
  if (tooShort) faults.push(tooShort)
  if (!template || faults.length > 0) throw refusal(faults)
  const tier = gpu === null ? (isPriced ? defaultTier(template, settings) : null) : tierOf(settings.tiers, gpu)
  const hostRateUsdPerHour = hostRateOf(template, executor, settings)
  const maxHours = recipe.max_hours ?? DEFAULT_MAX_HOURS
  const budgetUsd = recipe.budget_usd == null ? null : usdLimit(recipe.budget_usd)
  const rateUsdPerHour = isPriced && tier ? usdSum(tier.rateUsdPerHour, hostRateUsdPerHour) : FREE
  if (isPriced) assertHostedBudget(budgetUsd, rateUsdPerHour, ['recipe', 'budgetUsd'])
  return {
    template,
    executor,
    tier,
    maxHours,
    limitHours: isPriced ? maxHours : (recipe.max_hours ?? null),
    budgetUsd,
    isPriced,
    hostRateUsdPerHour,
    rateUsdPerHour,
  }
}

/** The sim template's function also reserves a large CPU host, which is billed. */
export function hostRateOf(template: Template, executor: RunExecutor, { hosted }: PlannerSettings): Usd {
  return template.isSim && executor === 'hosted' ? hosted.simHostRateUsdPerHour : FREE
}

/** The smallest tier; the sim template has its own default. 422 if the deployment lacks the tiers it is hosted on. */
function defaultTier(template: Template, { tiers }: PlannerSettings): HardwareTier {
  const names = template.isSim ? simTiers : tiers.map(({ tier }) => tier)
  const found = names.map((name) => tierOf(tiers, name)).find((tier) => tier !== null)
  if (found) return found
  throw refusal([
    fault(`${template.name} is hosted on ${simTiers.join(', ')}, and this deployment has none of them.`, 'gpu'),
  ])
}

function tierOf(tiers: TierTable, name: string): HardwareTier | null {
  return tiers.find(({ tier }) => tier === name) ?? null
}

const place = (member: 'template' | 'gpu'): Loc => ['recipe', member]
const fault = (detail: string, member: 'template' | 'gpu'): ErrorItem => ({
  type: 'validation.value',
  detail,
  loc: place(member),
})

function unknownTemplate(name: string, { runs }: PlannerSettings): ErrorItem {
  const names = templateNames(runs.extraTemplates).join(', ')
  return fault(`${JSON.stringify(name)} is not a registered template; registered are ${names}.`, 'template')
}

function unknownGpu(name: string, { tiers }: PlannerSettings): ErrorItem {
  return fault(
    `${JSON.stringify(name)} is not a tier; available are ${tiers.map(({ tier }) => tier).join(', ')}.`,
    'gpu',
  )
}

function refusal(items: readonly ErrorItem[]): HubError {
  return new HubError('validation.failed', items[0]?.detail ?? 'The recipe is not valid.', { items })
}

/** 503 for a planned template, on every executor: only recommendRun accepts one. */
export function assertImplemented({ name, isImplemented }: Template): void {
  if (isImplemented) return
  const detail = `The template ${name} is planned: no executor implements it yet.`
  const items = [{ type: 'not_configured.template', detail, loc: place('template') }]
  throw new HubError('not_configured.template', detail, { items })
}
