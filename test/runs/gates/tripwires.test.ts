import { describe, expect, it } from 'vitest'
import type { GateTripwire } from '../../../src/planner/recipe/recipe.ts'
import { firedTripwire, type GatedCheckpoint, tripwireNotice } from '../../../src/runs/gates/tripwires.ts'

const gated = (step: number, passCount: number, more: Partial<GatedCheckpoint> = {}): GatedCheckpoint => ({
  step,
  passCount,
  cellCount: 10,
  aliveCount: 2,
  seedCount: 4,
  rolloutId: `rollout-${step}`,
  ...more,
})
const wire = (more: Partial<GateTripwire> = {}): GateTripwire => ({
  metric: 'pass_rate',
  op: '<',
  threshold: 0.5,
  ...more,
})
const firedAt = (tripwire: GateTripwire, results: readonly GatedCheckpoint[]) =>
  firedTripwire([tripwire], results)?.checkpoint.step ?? null

describe('a tripwire', () => {
  it.each<[string, GateTripwire, GatedCheckpoint[], number | null]>([
    ['fires on the newest checkpoint', wire(), [gated(100, 9), gated(200, 4)], 200],
    ['is silent where the newest does not satisfy it', wire(), [gated(100, 4), gated(200, 9)], null],
    ['is silent before anything was gated', wire(), [], null],
    ['goes by step, not by the order of arrival', wire(), [gated(200, 9), gated(100, 4)], null],
    ['compares pass_rate = PASS / cells', wire({ op: '<=', threshold: 0.4 }), [gated(1, 4)], 1],
    [
      'compares alive_rate = seeds alive / seeds run',
      wire({ metric: 'alive_rate', op: '>=', threshold: 0.5 }),
      [gated(1, 0)],
      1,
    ],
    ['compares gates_passed = PASS cells', wire({ metric: 'gates_passed', op: '>', threshold: 6 }), [gated(1, 7)], 1],
    ['is strict with <', wire({ threshold: 0.4 }), [gated(1, 4)], null],
    ['is strict with >', wire({ op: '>', threshold: 0.4 }), [gated(1, 4)], null],
    ['waits for as many checkpoints as it needs', wire({ consecutive: 3 }), [gated(1, 0), gated(2, 0)], null],
    ['fires with as many as it needs', wire({ consecutive: 3 }), [gated(1, 0), gated(2, 0), gated(3, 0)], 3],
    ['needs them in a row', wire({ consecutive: 2 }), [gated(1, 0), gated(2, 9), gated(3, 0)], null],
    ['looks at the last of them alone', wire({ consecutive: 2 }), [gated(1, 9), gated(2, 0), gated(3, 0)], 3],
    ['looks at checkpoints at from_step', wire({ from_step: 100 }), [gated(100, 0)], 100],
    ['does not look before from_step', wire({ from_step: 100 }), [gated(99, 0)], null],
    [
      'does not count those before from_step',
      wire({ from_step: 100, consecutive: 2 }),
      [gated(99, 0), gated(100, 0)],
      null,
    ],
    ['takes null for its defaults', wire({ from_step: null, consecutive: null }), [gated(0, 0)], 0],
    ['takes no cells for no rate', wire(), [gated(1, 0, { cellCount: 0 })], null],
    [
      'takes no cells for no count',
      wire({ metric: 'gates_passed', threshold: 1 }),
      [gated(1, 0, { cellCount: 0 })],
      null,
    ],
    [
      'takes no seeds for no rate',
      wire({ metric: 'alive_rate' }),
      [gated(1, 0, { aliveCount: 0, seedCount: 0 })],
      null,
    ],
    [
      'is not fired by an unknown among those it needs',
      wire({ consecutive: 2 }),
      [gated(1, 0, { cellCount: 0 }), gated(2, 0)],
      null,
    ],
  ])('%s', (_rule, tripwire, results, step) => {
    expect(firedAt(tripwire, results)).toBe(step)
  })

  it('is the first that fires, in the order of the recipe', () => {
    const fired = firedTripwire([wire({ threshold: 0 }), wire({ threshold: 0.9 }), wire()], [gated(1, 0)])
    expect(fired?.tripwire.threshold).toBe(0.9)
  })

  it('reports its name, the step and the rollout', () => {
    const fired = firedTripwire([wire({ consecutive: 2 })], [gated(100, 3), gated(200, 1)])
    expect(fired && tripwireNotice(fired)).toBe(
      'Tripwire pass_rate < 0.5 fired at step 200 (rollout rollout-200): pass_rate is 0.1 over the last 2 gated checkpoints. The run is asked to stop.',
    )
  })

  it('reports that there is no rollout', () => {
    const fired = firedTripwire([wire()], [gated(1, 1, { cellCount: 3, rolloutId: null })])
    expect(fired && tripwireNotice(fired)).toBe(
      'Tripwire pass_rate < 0.5 fired at step 1 (no rollout): pass_rate is 0.3333. The run is asked to stop.',
    )
  })
})
