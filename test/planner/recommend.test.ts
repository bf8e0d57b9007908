import { describe, expect, it } from 'vitest'
import type { DatasetFacts } from '../../src/planner/dataset-facts.ts'
import type { Recipe } from '../../src/planner/recipe/recipe.ts'
import { arithmetic, recommend, settings } from './support.ts'

const executors = ['worker', 'hosted'] as const

/** By hand from the registry's figures: floor + params x bytes x factor + samples x one sample, raised to what is published. */
const modelled = [
  // 1.5 + 1.25 + 8 x (2 x (480 / 224)^2 x 0.035 + 100 x 0.0002 + 0.01 = 0.3514)
  ['act', 5.56, 6.67, ['l4', 'a10g', 'l40s', 'a100', 'h100']],
  // 1.5 + 6.31 + 64 x (2 x (96 / 224)^2 x 0.05 + 16 x 0.001 + 0.01 = 0.0444)
  ['diffusion_policy', 10.65, 12.78, ['l4', 'a10g', 'l40s', 'a100', 'h100']],
  // 6 + 0.02 + 4096 x 0.0015 = 12.16, published 16
  ['ppo_sim_a', 16, 19.2, ['l4', 'a10g', 'l40s', 'a100', 'h100']],
  // 2 + 10.56 + 32 x (3 x 0.06 + 50 x 0.0004 = 0.2) = 18.96, published 22.5
  ['vla_a_lora', 22.5, 27, ['l40s', 'a100', 'h100']],
  // 2 + 1.44 + 64 x (2 x (512 / 224)^2 x 0.02 + 50 x 0.0004 = 0.229)
  ['vla_b_lora', 18.1, 21.72, ['l4', 'a10g', 'l40s', 'a100', 'h100']],
  // 2 + 24 + 8 x (2.8 + 0.1)
  ['vla_c_lora', 49.2, 59.04, ['a100', 'h100']],
  // 1.5 + 2.4 + 16 x (2 x 0.035 + 50 x 0.001 + 0.01 = 0.13)
  ['own_net', 5.98, 7.18, ['l4', 'a10g', 'l40s', 'a100', 'h100']],
] as const

describe.each(executors)('a recommendation for a %s', (executor) => {
  it.each(modelled)(
    'of %s takes %d GB, requires %d GB and fits on those that have it',
    (template, gb, required, fits) => {
      const answer = recommend({ template, executor })
      expect(answer).toMatchObject({
        template,
        executor,
        vramEstimateGb: gb,
        vramRequiredGb: required,
        fitsOn: fits,
        tier: fits[0],
        requestedTier: null,
        headroom: 0.2,
        basis: 'modelled',
        measured: null,
        measuredBy: null,
        dataset: null,
        priced: executor === 'hosted',
        implemented: !template.startsWith('vla_'),
      })
      expect(answer.warnings.some((warning) => warning.includes('is planned'))).toBe(template.startsWith('vla_'))
    },
  )

  it.each(modelled)('of %s says arithmetic that a reader can redo, on every tier', (template) => {
    for (const gpu of [null, ...settings.tiers.map(({ tier }) => tier)]) {
      if (executor === 'hosted' && template === 'ppo_sim_a' && (gpu === 'a100' || gpu === 'h100')) continue
      const lines = arithmetic(recommend({ template, executor, gpu, max_hours: 3 }).why)
      expect(lines.length).toBeGreaterThan(5)
      for (const { line, said, computed } of lines)
        expect([line, Math.abs(said - computed) <= 0.5001 * 10 ** -decimalsOf(line)]).toEqual([line, true])
    }
  })
})

/** Decimals of the result of a line. */
const decimalsOf = (line: string) => {
  if (/USD/.test(line) || /^(one|time)/.test(line)) return 4
  return 2
}

describe('time and cost', () => {
  it('follow the reference throughput by the relative BF16 throughput of the tier', () => {
    // 100,000 steps x 8 / (150 x 121 / 312 = 58.17) / 3600
    const answer = recommend({ template: 'act', executor: 'hosted' })
    expect(answer.estHours).toBe(3.8202)
    expect(answer).toMatchObject({ rateUsdPerHour: '0.7992', costUsdEst: '3.0531', costUsdMax: '3.1968' })
  })

  it('count what all environments do between two updates', () => {
    // 1500 x 4096 x 24 / (60,000 x 121 / 362 = 20,055.25) / 3600
    const answer = recommend({ template: 'ppo_sim_a', executor: 'hosted' })
    expect([answer.tier, answer.estHours, answer.rateUsdPerHour]).toEqual(['l4', 2.0424, '1.1492'])
    expect(answer.why).toContain('rate: 0.7992 + 0.3500 (host) = 1.1492 USD/h')
  })

  it('are nothing for a worker, and the tier is the class of GPU that it needs', () => {
    const answer = recommend({ template: 'vla_c_lora', executor: 'worker' })
    expect(answer).toMatchObject({ tier: 'a100', rateUsdPerHour: '0.0000', costUsdEst: '0.0000', costUsdMax: '0.0000' })
    expect(answer.estHours).toBeGreaterThan(1)
  })

  it.each([
    [
      { max_hours: 1 },
      'limit: max_hours ends it after 1 h',
      ['It takes about 3.8202 h, and max_hours ends it after 1 h.'],
    ],
    [{ max_hours: 4 }, 'limit: max_hours ends it after 4 h', []],
    [{}, 'limit: none, a worker run without max_hours lasts until its runner ends it', []],
    [{ max_hours: null }, 'limit: none, a worker run without max_hours lasts until its runner ends it', []],
  ])('of a worker run with %j end where the run does', (recipe, why, warnings) => {
    const answer = recommend({ template: 'act', executor: 'worker', ...recipe })
    expect(answer.why.filter((line) => line.startsWith('limit'))).toEqual([why])
    expect(answer.warnings).toEqual(warnings)
  })

  it('of a worker run without an end are those of all its steps, however long they take', () => {
    const answer = recommend({ template: 'act', hyperparams: { steps: 1_000_000 } })
    expect([answer.estHours, answer.warnings]).toEqual([38.2022, []])
    const hosted = recommend({ template: 'act', executor: 'hosted', hyperparams: { steps: 1_000_000 } })
    expect(hosted.warnings).toEqual(['It takes about 38.2022 h, and max_hours ends it after 4 h.'])
    expect(hosted.why.some((line) => line.startsWith('limit'))).toBe(false)
  })

  it('of a run that its cap or budget would end say so and cost no more than that', () => {
    const answer = recommend({ template: 'act', executor: 'hosted', max_hours: 1, budget_usd: 0.5 })
    expect(answer).toMatchObject({ costUsdEst: '0.5000', costUsdMax: '0.5000' })
    expect(answer.warnings).toHaveLength(2)
    expect(answer.warnings[0]).toContain('max_hours ends it after 1 h')
    expect(answer.warnings[1]).toContain('the budget ends it at 0.5000 USD')
  })
})

describe('the tier', () => {
  const big: Recipe = { template: 'act', hyperparams: { batch_size: 100 } }

  it('is the smallest that fits, whatever is requested', () => {
    // 1.5 + 1.25 + 100 x 0.3514 = 37.89, required 45.47
    const answer = recommend({ ...big, gpu: 'l4' })
    expect(answer).toMatchObject({ tier: 'l40s', requestedTier: 'l4', fitsOn: ['l40s', 'a100', 'h100'] })
    expect(answer.warnings[0]).toMatch(/^l4 \(24 GB\) is requested, which is less than the 45\.47 GB required/)
  })

  it('is none where none fits', () => {
    const answer = recommend({ template: 'act', executor: 'hosted', hyperparams: { batch_size: 1000 } })
    expect(answer).toMatchObject({ tier: null, fitsOn: [], estHours: null, costUsdEst: null, costUsdMax: '0.0000' })
    expect(answer.warnings.at(-1)).toContain('a smaller batch_size needs less')
    expect(answer.why).toContain('fits on: no tier')
  })

  it('of a hosted sim run is none that it is not hosted on', () => {
    // 6 + 0.02 + 30,000 x 0.0015 = 51.02
    const recipe: Recipe = { template: 'ppo_sim_a', hyperparams: { num_envs: 30_000 } }
    expect(recommend({ ...recipe, executor: 'hosted' })).toMatchObject({ tier: null, fitsOn: ['a100', 'h100'] })
    expect(recommend({ ...recipe, executor: 'worker' })).toMatchObject({ tier: 'a100', fitsOn: ['a100', 'h100'] })
  })

  it('leaves the headroom of the deployment', () => {
    const own = { ...settings, runs: { ...settings.runs, headroom: 4 } }
    expect(recommend({ template: 'act' }, { settings: own })).toMatchObject({
      headroom: 4,
      vramRequiredGb: 27.8,
      tier: 'l40s',
    })
  })
})

describe('the inputs', () => {
  const dataset: DatasetFacts = {
    ref: 'svc://ada/pick',
    cameras: [
      { key: 'observation.images.top', width: 640, height: 480 },
      { key: 'observation.images.wrist', width: 320, height: 240 },
      { key: 'observation.images.side', width: 320, height: 240 },
    ],
    fps: 30,
    episodes: 50,
    frames: 15_000,
    stateDim: 6,
    actionDim: 6,
    robotType: 'so100',
  }

  it('are the hyperparameters, the dataset, then the registry', () => {
    const answer = recommend({ template: 'act', hyperparams: { batch_size: 4, steps: 10 } }, { dataset })
    // The mean of 307,200, 76,800 and 76,800 pixels is 153,600.
    expect(answer.inputs).toEqual({ batchSize: 4, cameras: 3, imagePx: 392, chunkSize: 100, steps: 10 })
    expect(answer.dataset).toBe(dataset)
    expect(answer.why[1]).toBe(
      'inputs: batch_size 4 (hyperparams), cameras 3 (dataset), image_px 392 (dataset), chunk_size 100 (registry), steps 10 (hyperparams)',
    )
  })

  it('of a model that scales its images stay at its own resolution', () => {
    expect(recommend({ template: 'vla_a_lora' }, { dataset }).inputs).toMatchObject({ cameras: 3, imagePx: 224 })
  })

  it('of a dataset without cameras have none', () => {
    const blind = recommend({ template: 'act' }, { dataset: { ...dataset, cameras: [] } })
    expect(blind.inputs).toMatchObject({ cameras: 0, imagePx: 0 })
  })

  it('of an RL template are environments and iterations, and no camera of a dataset', () => {
    const hyperparams = { num_envs: 1024, max_iterations: 300, batch_size: 7 }
    expect(recommend({ template: 'ppo_sim_a', hyperparams }, { dataset }).inputs).toEqual({
      batchSize: 1024,
      cameras: 0,
      imagePx: 0,
      chunkSize: 1,
      steps: 300,
    })
  })

  it.each([0, -1, 1.5, '8', true, [8], 2 ** 31])('pass over a batch size of %j with a warning', (batch_size) => {
    const answer = recommend({ template: 'act', hyperparams: { batch_size } })
    expect(answer.inputs.batchSize).toBe(8)
    expect(answer.warnings[0]).toContain('hyperparams.batch_size')
  })

  it('make one recommendation, however often it is asked for', () => {
    const recipe: Recipe = { template: 'diffusion_policy', hyperparams: { batch_size: 32 } }
    expect(recommend(recipe, { dataset })).toEqual(recommend(recipe, { dataset }))
  })
})

describe('measured values', () => {
  const row = (tier: string, peakVramGb: number, samplesPerS: number, by: 'account' | 'hub' = 'account') => ({
    by,
    tier,
    batchSize: 8,
    peakVramGb,
    samplesPerS,
    nRuns: 3,
  })

  it('take the place of the arithmetic', () => {
    const answer = recommend({ template: 'act', executor: 'hosted' }, { measured: [row('l4', 21.5, 40)] })
    expect(answer).toMatchObject({ basis: 'measured', vramEstimateGb: 21.5, vramRequiredGb: 25.8, tier: 'l40s' })
    expect(answer.measured).toEqual(row('l4', 21.5, 40))
    // 40 x 362 / 121 = 119.67 samples/s.
    expect(answer.estHours).toBe(1.857)
    for (const { line, said, computed } of arithmetic(answer.why))
      expect([line, Math.abs(said - computed) < 0.006]).toEqual([line, true])
    expect(answer.why.some((line) => line.startsWith('runtime floor'))).toBe(false)
  })

  it('below a published floor stand all the same', () => {
    const measured = [{ ...row('l4', 9, 30_000), batchSize: 4096 }]
    expect(recommend({ template: 'ppo_sim_a' }, { measured })).toMatchObject({ basis: 'measured', vramEstimateGb: 9 })
  })

  it('are those of the requested tier, else of the smallest', () => {
    const measured = [row('h100', 8, 900), row('a10g', 7, 50)]
    expect(recommend({ template: 'act' }, { measured }).measured?.tier).toBe('a10g')
    expect(recommend({ template: 'act', gpu: 'h100' }, { measured }).measured?.tier).toBe('h100')
    expect(recommend({ template: 'act', gpu: 'l4' }, { measured }).measured?.tier).toBe('a10g')
  })

  it('of the account come before those of the hub, whatever the tier, and the answer says whose they are', () => {
    const [own, observed] = [row('h100', 8, 900), row('l4', 21.5, 40, 'hub')]
    const both = recommend({ template: 'act', gpu: 'l4' }, { measured: [observed, own] })
    expect(both).toMatchObject({ measured: own, measuredBy: 'account', vramEstimateGb: 8 })
    expect(both.why[2]).toBe('measured: 3 runs of this account with batch_size 8 on h100, peak 8 GB, 900 samples/s')
    const others = recommend({ template: 'act' }, { measured: [observed] })
    expect(others).toMatchObject({ basis: 'measured', measured: observed, measuredBy: 'hub' })
    expect(others.why[2]).toBe(
      'measured: 3 runs observed by the hub with batch_size 8 on l4, peak 21.5 GB, 40 samples/s',
    )
  })

  it('of a run that stood still make no division by zero', () => {
    const answer = recommend({ template: 'act' }, { measured: [row('l4', 7, 0.0001)] })
    expect(Number.isFinite(answer.estHours)).toBe(true)
  })
})
