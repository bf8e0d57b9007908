import { expect, it } from 'vitest'
import { resolveInputs } from '../../src/planner/inputs.ts'
import { type HostedResult, observedOf } from '../../src/planner/observed.ts'
import { findTemplate } from '../../src/planner/templates.ts'
import { settings } from './support.ts'

function templateOf(name: string) {
  const template = findTemplate(name, settings.runs.extraTemplates)
  if (!template) throw new Error(`${name} is not a template.`)
  return { template, inputs: resolveInputs(template, { template: name }, null).inputs }
}

/** 1000 steps of 8 samples in 160 s are 50 samples/s; the registry says 150 x 121 / 312 = 58.2 on an L4, and 5.56 GB. */
const act: HostedResult = {
  ...templateOf('act'),
  tier: 'l4',
  reportedTier: null,
  peakVramGb: 6,
  samplesPerS: 55,
  iterations: 1000,
  seconds: 160,
}
const observed = (change: Partial<HostedResult> = {}) => observedOf({ ...act, ...change }, settings.tiers)

it('the hub observes the throughput of a hosted run by its own clock, not by what the function says', () => {
  expect(observed()).toEqual({ peakVramGb: 6, samplesPerS: 50 })
  expect(observed({ reportedTier: 'l4', samplesPerS: 99 })).toEqual({ peakVramGb: 6, samplesPerS: 50 })
})

it('the samples of an RL run are what all environments do between two updates', () => {
  // 60,000 x 121 / 362 = 20,055 on an L4; 100 x 4096 x 24 in 500 s.
  const run = { ...templateOf('ppo_sim_a'), peakVramGb: 18, iterations: 100, seconds: 500, samplesPerS: 20_000 }
  expect(observed(run)).toEqual({ peakVramGb: 18, samplesPerS: 19_660.8 })
})

it.each<[string, Partial<HostedResult>]>([
  ['memory that no model fits in', { peakVramGb: 1e-9 }],
  ['memory of less than a quarter of what is calculated', { peakVramGb: 1.38 }],
  ['memory of more than four times what is calculated', { peakVramGb: 22.3 }],
  ['more memory than the tier has', { peakVramGb: 24.1, inputs: { ...act.inputs, batchSize: 32 }, samplesPerS: 200 }],
  ['a throughput of more than ten times that of the registry', { seconds: 13, samplesPerS: 615 }],
  ['a throughput of less than a tenth of that of the registry', { seconds: 1400, samplesPerS: 5.7 }],
  ['a reported throughput of more than twice what its clock says', { samplesPerS: 101 }],
  ['a reported throughput of less than half of what its clock says', { samplesPerS: 24 }],
  ['no iterations', { iterations: 0 }],
  ['fewer iterations than none', { iterations: -5 }],
  ['no time', { seconds: 0 }],
  ['another tier than the one that was billed', { reportedTier: 'h100' }],
  ['no tier', { tier: null }],
  ['a tier that the deployment has no more', { tier: 'v100' }],
  ["the deployment's own template, whose figures nobody knows", templateOf('own_net')],
])('the hub observes nothing of a run with %s', (_, change) => {
  expect(observed(change)).toBeNull()
})

it('the bounds are those of the tier and the batch size', () => {
  const faster = { tier: 'h100', seconds: 20, samplesPerS: 400 }
  expect(observed(faster)).toEqual({ peakVramGb: 6, samplesPerS: 400 })
  const larger = { inputs: { ...act.inputs, batchSize: 32 }, peakVramGb: 22.3, samplesPerS: 200 }
  expect(observed(larger)).toEqual({ peakVramGb: 22.3, samplesPerS: 200 })
})
