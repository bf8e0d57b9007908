/** What the form that submits a run sends, and how it is filled from another run. */
import { describe, expect, it } from 'vitest'
import {
  hyperparamsOf,
  shownValue,
  valueTyped,
  withHyperparam,
} from '../../../web/src/pages/runs/submit/hyperparams-text.ts'
import { draftOf, newDraft, requestOf } from '../../../web/src/pages/runs/submit/run-draft.ts'
import type { RunToRepeatQuery } from '../../../web/src/pages/runs/submit/submit.graphql.ts'

describe('a field of a hyperparameter', () => {
  it.each([
    ['8', 8],
    ['1e-4', 0.0001],
    ['.5', 0.5],
    ['-3.', -3],
    ['true', true],
    ['null', null],
    [' cosine ', 'cosine'],
    ['1e', '1e'],
    ['0x10', '0x10'],
    ['', undefined],
  ])('reads %s', (typed, value) => expect(valueTyped(typed)).toBe(value))

  it('changes one value of the object, and leaves the others and their order', () => {
    const text = '{"lr": 0.1, "batch_size": 8, "net": {"depth": 2}}'
    const changed = withHyperparam(text, 'batch_size', 64)
    expect(Object.entries(hyperparamsOf(changed) ?? {})).toEqual([
      ['lr', 0.1],
      ['batch_size', 64],
      ['net', { depth: 2 }],
    ])
    expect(hyperparamsOf(withHyperparam(changed, 'lr', undefined))).toEqual({ batch_size: 64, net: { depth: 2 } })
  })

  it('leaves no text where the last value goes, and changes no text that is not an object', () => {
    expect(withHyperparam('{"lr": 1}', 'lr', undefined)).toBe('')
    expect(['{"lr": 1', '[1]', '7'].map((text) => [hyperparamsOf(text), withHyperparam(text, 'lr', 2)])).toEqual([
      [null, '{"lr": 1'],
      [null, '[1]'],
      [null, '7'],
    ])
  })

  it('shows texts as they are and other values as JSON', () => {
    expect(['a', 1e-7, true, null, [1], undefined].map(shownValue)).toEqual(['a', '1e-7', 'true', 'null', '[1]', ''])
  })
})

describe('the form that submits a run', () => {
  it('sends nothing for what is empty', () => {
    expect(requestOf(newDraft('act', 'ada', null, null), null)).toEqual({
      recipe: {
        template: 'act',
        dataset: [],
        robot: null,
        hyperparams: {},
        executor: 'WORKER',
        gpu: null,
        maxHours: null,
        budgetUsd: null,
        gate: null,
        parentCheckpointStep: null,
      },
      owner: 'ada',
      parentRunId: null,
      name: null,
      project: null,
      group: null,
      jobType: null,
      tags: [],
      notes: null,
    })
  })

  it('names datasets of the hub by their repo, and leaves other references as they are', () => {
    const draft = { ...newDraft('act', 'ada', 'ada/picks', null), tags: 'a, b c ,,' }
    const others = ['svc://ada/places', ' exthub://lerobot/pusht ', '', 'codehost://o/r@main/sub']
    const request = requestOf({ ...draft, datasets: [...draft.datasets, ...others] }, null)
    expect(request?.recipe.dataset).toEqual([
      'svc://ada/picks',
      'svc://ada/places',
      'exthub://lerobot/pusht',
      'codehost://o/r@main/sub',
    ])
    expect(request?.tags).toEqual(['a', 'b c'])
  })

  it('sends nothing while the hyperparameters are no object', () => {
    expect(requestOf({ ...newDraft('act', 'ada', null, null), hyperparams: '{' }, null)).toBeNull()
  })

  it('asks for the same again when it is filled from a run, but for its name', () => {
    const draft = draftOf(run, ['bob', 'lab'])
    const request = requestOf(draft, run)
    expect(request).toEqual({
      recipe: {
        template: 'act',
        dataset: ['svc://ada/picks-renamed', 'exthub://lerobot/pusht'],
        robot: 'ada/arm',
        hyperparams: { lr: 0.0001, net: { depth: 2 } },
        executor: 'HOSTED',
        gpu: 'l4',
        maxHours: 1.5,
        budgetUsd: 3,
        gate: run.recipe.gate,
        parentCheckpointStep: null,
      },
      owner: 'lab',
      parentRunId: run.id,
      name: null,
      project: 'grasping',
      group: 'sweep',
      jobType: 'train',
      tags: ['a', 'b'],
      notes: 'Two\nlines',
    })
  })

  it('starts from a checkpoint of the parent alone, and is billed to an account of the person', () => {
    const draft = { ...draftOf(run, ['bob']), parentStep: '500' }
    expect(draft.owner).toBe('bob')
    expect(requestOf(draft, run)?.recipe.parentCheckpointStep).toBe(500)
    const without = requestOf({ ...draft, parentRunId: '', isGated: false }, run)
    expect([without?.parentRunId, without?.recipe.parentCheckpointStep, without?.recipe.gate]).toEqual([
      null,
      null,
      null,
    ])
  })
})

const gate = {
  everySteps: 100,
  battery: 'watch',
  seeds: 3,
  delay: 2,
  executor: null,
  video: null,
  horizonS: null,
  cellCount: null,
  tripwires: [{ metric: 'pass_rate', op: '<', threshold: 0.2, fromStep: 0, consecutive: 2 }],
}
const run: NonNullable<RunToRepeatQuery['run']> = {
  id: 'run_1',
  displayName: 'night',
  name: 'night',
  project: 'grasping',
  group: 'sweep',
  jobType: 'train',
  notes: 'Two\nlines',
  tags: ['a', 'b'],
  owner: { id: 'org_1', handle: 'lab' },
  datasets: [
    { ref: 'svc://ada/picks', repo: { id: 'repo_1', fullName: 'ada/picks-renamed' } },
    { ref: 'exthub://lerobot/pusht', repo: null },
  ],
  robotRepo: { id: 'repo_2', fullName: 'ada/arm' },
  checkpoints: { items: [{ step: 500 }] },
  recipe: {
    template: 'act',
    robot: 'svc://ada/old-arm',
    hyperparams: { lr: 0.0001, net: { depth: 2 } },
    gpu: 'l4',
    maxHours: 1.5,
    executor: 'HOSTED',
    budgetUsd: 3,
    gate,
  },
}
