import { describe, expect, it } from 'vitest'
import { estimateOf } from '../../src/planner/estimate.ts'
import type { Recipe } from '../../src/planner/recipe/recipe.ts'
import { assertImplemented, planRun } from '../../src/planner/run-plan.ts'
import { readConfig } from '../../src/platform/config.ts'
import { HubError } from '../../src/platform/errors.ts'
import { settings } from './support.ts'

const estimate = (recipe: Recipe) => estimateOf(planRun(recipe, settings))

const refusalOf = (work: () => unknown): HubError => {
  try {
    work()
  } catch (error) {
    if (error instanceof HubError) return error
    throw error
  }
  throw new Error('Nothing was refused.')
}

const templates = ['act', 'diffusion_policy', 'ppo_sim_a', 'vla_a_lora', 'vla_b_lora', 'vla_c_lora', 'own_net']
const rates = { l4: '0.7992', a10g: '1.1016', l40s: '1.9512', a100: '2.4984', h100: '3.9492' } as const
/** With the host rate of 0.35 USD. */
const simRates = { l4: '1.1492', a10g: '1.4516', l40s: '2.3012' } as const
/** Four hours. */
const simCosts = { l4: '4.5968', a10g: '5.8064', l40s: '9.2048' } as const
const costs = { l4: '3.1968', a10g: '4.4064', l40s: '7.8048', a100: '9.9936', h100: '15.7968' } as const
type Tier = keyof typeof rates
const tiers = Object.keys(rates) as Tier[]

describe.each(templates)('the estimate of %s', (template) => {
  it.each(tiers)('on a worker with %s costs nothing', (gpu) => {
    expect(estimate({ template, gpu, executor: 'worker' })).toEqual({
      executor: 'worker',
      tier: gpu,
      rateUsdPerHour: '0.0000',
      hostRateUsdPerHour: '0.0000',
      maxHours: 4,
      costUsdMax: '0.0000',
      budgetUsd: null,
      cappedByBudget: false,
      priced: false,
    })
  })

  it('on a worker that names no GPU has no tier, and worker is what no executor means', () => {
    expect(estimate({ template })).toEqual(estimate({ template, executor: 'worker' }))
    expect(estimate({ template }).tier).toBeNull()
  })
})

describe.each(templates.filter((name) => name !== 'ppo_sim_a'))('the hosted estimate of %s', (template) => {
  it.each(tiers)('on %s is its rate for four hours', (gpu) => {
    expect(estimate({ template, gpu, executor: 'hosted' })).toEqual({
      executor: 'hosted',
      tier: gpu,
      rateUsdPerHour: rates[gpu],
      hostRateUsdPerHour: '0.0000',
      maxHours: 4,
      costUsdMax: costs[gpu],
      budgetUsd: null,
      cappedByBudget: false,
      priced: true,
    })
  })

  it('is on the smallest tier where none is named', () => {
    expect(estimate({ template, executor: 'hosted' }).tier).toBe('l4')
  })
})

describe('the hosted estimate of the sim template', () => {
  it.each(['l4', 'a10g', 'l40s'] as const)('on %s adds the host rate', (gpu) => {
    const answer = estimate({ template: 'ppo_sim_a', gpu, executor: 'hosted' })
    expect(answer).toMatchObject({ tier: gpu, rateUsdPerHour: simRates[gpu], hostRateUsdPerHour: '0.3500' })
    expect(answer.costUsdMax).toBe(simCosts[gpu])
  })

  it('is on an L40S where none is named', () => {
    expect(estimate({ template: 'ppo_sim_a', executor: 'hosted' }).tier).toBe('l40s')
  })

  it.each(['a100', 'h100'])('refuses %s, which a worker may use', (gpu) => {
    const error = refusalOf(() => estimate({ template: 'ppo_sim_a', gpu, executor: 'hosted' }))
    expect([error.status, error.items[0]?.loc]).toEqual([422, ['recipe', 'gpu']])
    expect(error.message).toContain('l40s, l4, a10g')
    expect(estimate({ template: 'ppo_sim_a', gpu, executor: 'worker' }).tier).toBe(gpu)
  })
})

describe('an estimate', () => {
  it.each([
    [{ max_hours: 2.5 }, '1.9980', false],
    [{ max_hours: 720 }, '575.4240', false],
    [{ max_hours: 2.5, budget_usd: 2 }, '1.9980', false],
    [{ max_hours: 2.5, budget_usd: 1.998 }, '1.9980', false],
    [{ max_hours: 2.5, budget_usd: 1.9979 }, '1.9979', true],
    [{ budget_usd: 0.0134 }, '0.0134', true],
  ])('with %o is %s at most', (change, cost, capped) => {
    const answer = estimate({ template: 'act', gpu: 'l4', executor: 'hosted', ...change })
    expect([answer.costUsdMax, answer.cappedByBudget]).toEqual([cost, capped])
  })

  it('of a worker is not capped by a budget, since it costs nothing', () => {
    expect(estimate({ template: 'act', budget_usd: 1 })).toMatchObject({ budgetUsd: '1.0000', cappedByBudget: false })
  })

  it.each(['worker', 'hosted'] as const)(
    'of an unknown template on a %s is refused with the registered ones',
    (executor) => {
      const error = refusalOf(() => estimate({ template: 'acct', executor }))
      expect(error.status).toBe(422)
      for (const name of templates) expect(error.message).toContain(name)
    },
  )

  it('names every fault of a recipe', () => {
    const error = refusalOf(() => estimate({ template: 'x', gpu: 'tpu' }))
    expect(error.items.map(({ loc }) => loc?.at(-1))).toEqual(['template', 'gpu'])
  })

  it('follows the deployment: its tiers and its host rate', () => {
    const own = { ...readConfig({ SIM_HOST_RATE_USD_PER_HOUR: '0.5' }), tiers: settings.tiers.slice(0, 2) }
    expect(planRun({ template: 'ppo_sim_a', executor: 'hosted' }, own)).toMatchObject({
      tier: { tier: 'l4' },
      rateUsdPerHour: '1.2992',
    })
    const none = { ...own, tiers: settings.tiers.slice(3) }
    expect(refusalOf(() => planRun({ template: 'ppo_sim_a', executor: 'hosted' }, none)).status).toBe(422)
    expect(refusalOf(() => planRun({ template: 'own_net' }, own)).status).toBe(422)
  })
})

describe('a planned template', () => {
  it.each(['vla_a_lora', 'vla_b_lora', 'vla_c_lora'])('%s is not there on any executor', (template) => {
    for (const executor of ['worker', 'hosted'] as const) {
      const error = refusalOf(() => assertImplemented(planRun({ template, executor }, settings).template))
      expect([error.status, error.type]).toEqual([503, 'not_configured.template'])
      expect(error.message).toContain(template)
    }
  })

  it.each(['act', 'diffusion_policy', 'ppo_sim_a', 'own_net'])('is not %s', (template) => {
    expect(() => assertImplemented(planRun({ template }, settings).template)).not.toThrow()
  })
})
