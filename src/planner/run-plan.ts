/** What a recipe resolves to on this deployment: template, executor, tier and rate. Pure. Spec, "Recipe" and createRun. */
import type { RunSettings } from '../platform/config.ts'
import { type ErrorItem, HubError, type Loc } from '../platform/errors.ts'
import { type Usd, usd, usdSum } from '../platform/money.ts'
import type { HardwareTier, TierTable } from '../platform/tier-table.ts'
import { DEFAULT_MAX_HOURS, type Recipe, type RunExecutor } from './recipe/recipe.ts'
import { findTemplate, type Template, templateNames } from './templates.ts'

/** What of the deployment a recipe is held against. */
export interface PlannerSettings {
  readonly tiers: TierTable
  readonly runs: Pick<RunSettings, 'extraTemplates' | 'headroom'>
  readonly hosted: { readonly simHostRateUsdPerHour: Usd }
}

export interface RunPlan {
  readonly template: Template
  readonly executor: RunExecutor
  /** What is billed, or the GPU class that a worker's recipe names. */
  readonly tier: HardwareTier | null
  readonly maxHours: number
  readonly budgetUsd: Usd | null
  /** Hosted runs are; a worker run costs nothing. */
  readonly isPriced: boolean
  readonly hostRateUsdPerHour: Usd
  /** Tier and host together; zero for a worker. */
  readonly rateUsdPerHour: Usd
}

const FREE = usd(0)

/** Tiers of the sim template on hosted hardware, the default first: its simulator wants many small cores and gains nothing from the large ones. */
const simTiers: readonly string[] = ['l40s', 'l4', 'a10g']

/** Whether a hosted run of the template may be on the tier. */
export function mayHostOn(template: Template, tier: string): boolean {
  return !template.isSim || simTiers.includes(tier)
}

/** Resolves a recipe. Errors: 422 with one entry for each: an unknown template, an unknown GPU, one that the sim template is not hosted on. */
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
  if (!template || faults.length > 0) throw refusal(faults)
  const isPriced = executor === 'hosted'
  const tier = gpu === null ? (isPriced ? defaultTier(template, settings) : null) : tierOf(settings.tiers, gpu)
  const hostRateUsdPerHour = hostRateOf(template, executor, settings)
  return {
    template,
    executor,
    tier,
    maxHours: recipe.max_hours ?? DEFAULT_MAX_HOURS,
    budgetUsd: recipe.budget_usd == null ? null : usd(recipe.budget_usd),
    isPriced,
    hostRateUsdPerHour,
    rateUsdPerHour: isPriced && tier ? usdSum(tier.rateUsdPerHour, hostRateUsdPerHour) : FREE,
  }
}

/** The sim template's function reserves a large CPU host beside its GPU, and pays for it. */
export function hostRateOf(template: Template, executor: RunExecutor, { hosted }: PlannerSettings): Usd {
  return template.isSim && executor === 'hosted' ? hosted.simHostRateUsdPerHour : FREE
}

/** The smallest tier, but for the sim template its own default. A deployment's table may lack the tiers that it is hosted on: 422. */
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

const place = (member: keyof Recipe): Loc => ['recipe', member]
const fault = (detail: string, member: keyof Recipe): ErrorItem => ({
  type: 'validation.value',
  detail,
  loc: place(member),
})

function unknownTemplate(name: string, { runs }: PlannerSettings): ErrorItem {
  const names = templateNames(runs.extraTemplates).join(', ')
  return fault(`${JSON.stringify(name)} is no registered template; registered are ${names}.`, 'template')
}

function unknownGpu(name: string, { tiers }: PlannerSettings): ErrorItem {
  return fault(`${JSON.stringify(name)} is no tier; there are ${tiers.map(({ tier }) => tier).join(', ')}.`, 'gpu')
}

function refusal(items: readonly ErrorItem[]): HubError {
  return new HubError('validation.failed', items[0]?.detail ?? 'The recipe is not valid.', { items })
}

/** 503 for a planned template, on every executor: recommend answers for it, nothing runs it. */
export function assertImplemented({ name, isImplemented }: Template): void {
  if (isImplemented) return
  const detail = `The template ${name} is planned: no executor implements it yet.`
  const items = [{ type: 'not_configured.template', detail, loc: place('template') }]
  throw new HubError('not_configured.template', detail, { items })
}
