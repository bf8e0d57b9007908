/** The engine's findings as checks: what fails, what warns, and what has no verdict. */

import type { ModelFacts } from '@hub/robot-view/physics/model-facts'
import { describe, expect, it } from 'vitest'
import { engineLimits } from '../src/engine/limits.ts'
import type { SimulationFacts } from '../src/engine/protocol.ts'
import type { EngineEnd } from '../src/engine/run-engine.ts'
import { simulationChecks } from '../src/validate/simulation-checks.ts'

const compiled = { joints: [], actuators: [], nq: 0, nv: 0 } as unknown as ModelFacts

const still: SimulationFacts = {
  keyframe: 'home',
  from: 'keyframe',
  simulated_s: 2,
  slow: false,
  diverged: null,
  max_angular_speed: { joint: 'a', value: 0.1 },
  max_linear_speed: { joint: null, value: 0 },
  out_of_range: [],
  warnings: [],
  penetrations: [],
  contacts_at_start: 0,
  has_ground: true,
  holding: 1,
  drift: [],
  bases: [],
}

interface Found {
  readonly end?: EngineEnd
  readonly facts?: ModelFacts | null
  readonly simulation?: SimulationFacts | null
  readonly undecided?: string
}

const checksOf = ({ end = { why: 'done' }, facts = compiled, simulation = still, undecided }: Found) =>
  simulationChecks(
    { run: { version: '3.14.0', converted: null, facts, simulation, scene: null, end }, limits: engineLimits },
    { entry: 'm.xml', undecided: undecided ?? null, toldAbove: false },
  )

const statuses = (found: Found) => checksOf(found).map(({ code, status }) => `${code} ${status}`)
const passing = ['sim.compiles pass', 'sim.stable pass', 'sim.joint_ranges pass', 'sim.contacts pass', 'sim.rest pass']
const skipped = ['sim.stable skip', 'sim.joint_ranges skip', 'sim.contacts skip', 'sim.rest skip']

it('passes a robot that stands still', () => {
  expect(statuses({})).toEqual(passing)
})

describe('an end before the steps', () => {
  const refused: EngineEnd = { why: 'refused', error: 'unknown plugin', stage: 'source' }

  it.each<[string, EngineEnd, string]>([
    ['a refusal', refused, 'sim.compiles fail'],
    ['too much time', { why: 'time' }, 'sim.compiles fail'],
    ['too much memory', { why: 'memory' }, 'sim.compiles fail'],
    ['a crash', { why: 'crash', error: 'unreachable' }, 'sim.compiles skip'],
  ])('by %s leaves nothing to step', (_, end, first) => {
    expect(statuses({ end, facts: null, simulation: null })).toEqual([first, ...skipped])
  })

  it('by an error gives no verdict on a model that needs what the engine lacks', () => {
    const [compiles] = checksOf({ end: refused, facts: null, simulation: null, undecided: 'It needs the plugin x.' })
    expect(compiles).toMatchObject({ status: 'skip', message: expect.stringContaining('It needs the plugin x.') })
  })
})

describe('an end in the steps', () => {
  it.each<[string, EngineEnd, string]>([
    ['too much time', { why: 'time' }, 'sim.stable fail'],
    ['too much memory', { why: 'memory' }, 'sim.stable fail'],
    ['a crash', { why: 'crash', error: 'unreachable' }, 'sim.stable skip'],
  ])('by %s', (_, end, second) => {
    expect(statuses({ end, simulation: null })).toEqual(['sim.compiles pass', second, ...skipped.slice(1)])
  })
})

describe('a motion', () => {
  it('of a joint that gives way by more than 10 degrees is a warning, by less it is not', () => {
    const drifting = (by: number): Found => ({ simulation: { ...still, drift: [{ joint: 'a', type: 'hinge', by }] } })
    expect(statuses(drifting(0.17))).toEqual(passing)
    expect(checksOf(drifting(0.18)).at(-1)).toMatchObject({ code: 'sim.rest', status: 'warn', names: ['a'] })
  })

  it('that could only be simulated for less time is a warning', () => {
    const [, stable] = checksOf({ simulation: { ...still, slow: true, simulated_s: 0.5 } })
    expect(stable).toMatchObject({ status: 'warn', message: 'Only 0.5 s of 2 s were simulated within 20 s.' })
  })

  it('of a robot that nothing holds has no verdict on how it rests', () => {
    expect(statuses({ simulation: { ...still, holding: 0 } }).at(-1)).toBe('sim.rest skip')
  })

  it('out of a range counts only if something holds the joints or it started there', () => {
    const ranges = (holding: number, at_start: boolean) =>
      statuses({ simulation: { ...still, holding, out_of_range: [{ joint: 'a', by: 0.1, at_start }] } })[2]
    expect([ranges(1, false), ranges(0, true), ranges(0, false)]).toEqual([
      'sim.joint_ranges warn',
      'sim.joint_ranges warn',
      'sim.joint_ranges skip',
    ])
  })

  it('of a base that stays, tilts or sinks is distinguished', () => {
    const base = { body: 'torso', height_start_m: 0.4, height_end_m: 0.38, moved_m: 0.02, tilted_rad: 0.1 }
    const rest = (changed: Partial<typeof base>) =>
      statuses({ simulation: { ...still, bases: [{ ...base, ...changed }] } }).at(-1)
    expect([rest({}), rest({ tilted_rad: 0.6 }), rest({ height_end_m: 0.1 })]).toEqual([
      'sim.rest pass',
      'sim.rest warn',
      'sim.rest warn',
    ])
  })
})

it('skips everything, with the reason, if MuJoCo did not run', () => {
  const checks = simulationChecks({ notRun: 'Too large.' }, { entry: 'm.xml', undecided: null, toldAbove: false })
  expect(checks.map(({ status, message }) => `${status} ${message}`)).toEqual(Array(5).fill('skip Too large.'))
})
