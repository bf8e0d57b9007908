import { describe, expect, it } from 'vitest'
import { appRefusal, hostedWork, ownerRefusal } from '../../src/hosting/hosting-policy.ts'
import type { Recipe } from '../../src/planner/recipe/recipe.ts'
import { readConfig } from '../../src/platform/config.ts'

const hosted = (settings: Record<string, string> = {}) => readConfig({ OPERATOR_HANDLE: 'boss', ...settings }).hosted
const run: Recipe = { template: 'act', executor: 'hosted' }
const work = (owner: string, recipe: Recipe = run) => {
  const found = hostedWork(recipe, recipe.template === 'ppo_sim_a', owner)
  if (!found) throw new Error('Nothing of it is hosted.')
  return found
}

describe('what of a run is hosted', () => {
  const gate = { every_steps: 10 }
  it.each([
    ['a run of no executor', { template: 'act' }, null],
    ['a worker run', { template: 'act', executor: 'worker' }, null],
    ['a worker run with a gate of its own executor', { template: 'act', gate }, null],
    ['a worker run with a gate of workers', { template: 'act', gate: { ...gate, executor: 'worker' } }, null],
    ['a worker run with a hosted gate', { template: 'act', gate: { ...gate, executor: 'hosted' } }, 'gate'],
    ['a hosted run', run, 'executor'],
    ['a hosted run with a gate of workers', { ...run, gate: { ...gate, executor: 'worker' } }, 'executor'],
  ] as const)('%s', (_, recipe, member) => {
    expect(hostedWork(recipe as Recipe, false, 'ada')?.loc[1] ?? null).toBe(member)
  })
})

describe('hosted work is refused', () => {
  it('first without a hosted app, naming what is missing', () => {
    const error = appRefusal(work('boss'), hosted())
    expect([error?.status, error?.type]).toEqual([503, 'not_configured.hosted_app'])
    expect(error?.message).toContain('HOSTED_APP_NAME')
    expect(appRefusal(work('boss'), hosted({ HOSTED_APP_NAME: 'coach' }))).toBeNull()
  })

  it.each([
    [{}, 'boss', true, true],
    [{}, 'ada', false, false],
    [{ HOSTED_OWNERS: 'ada' }, 'ada', true, false],
    [{ HOSTED_OWNERS: 'ada' }, 'boss', false, true],
    [{ SIM_HOSTED_OWNERS: 'ada' }, 'ada', false, true],
    [{ HOSTED_OWNERS: '*' }, 'anyone', true, false],
    [{ SIM_HOSTED_OWNERS: 'boss,*' }, 'anyone', false, true],
    [{ HOSTED_OWNERS: '*', SIM_HOSTED_OWNERS: '*' }, 'anyone', true, true],
  ])('for owners outside of %o: %s runs act %s, the sim template %s', (settings, owner, act, sim) => {
    const of = (recipe: Recipe) => ownerRefusal(work(owner, recipe), hosted(settings))
    expect([of(run) === null, of({ template: 'ppo_sim_a', executor: 'hosted' }) === null]).toEqual([act, sim])
  })

  it('with the list that the owner is missing from', () => {
    const error = ownerRefusal(work('ada'), hosted())
    expect([error?.status, error?.type, error?.items[0]?.loc]).toEqual([
      403,
      'forbidden.hosted_owner',
      ['recipe', 'executor'],
    ])
    expect(error?.message).toContain('ada is not among HOSTED_OWNERS')
    const sim = ownerRefusal(work('ada', { template: 'ppo_sim_a', executor: 'hosted' }), hosted())
    expect(sim?.message).toContain('SIM_HOSTED_OWNERS')
  })
})
