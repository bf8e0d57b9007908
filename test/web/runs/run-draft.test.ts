/** What the form that submits a run sends, and how it is filled from another run. */
import { describe, expect, it } from 'vitest'
import { draftOf, newDraft, requestOf } from '../../../web/src/pages/runs/submit/run-draft.ts'
import type { RunToRepeatQuery } from '../../../web/src/pages/runs/submit/submit.graphql.ts'

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

  it('keeps the selection of episodes of a dataset, under the name that the repo has now', () => {
    const repo = { id: 'repo_1', fullName: 'ada/picks-renamed' }
    const draft = draftOf({ ...run, datasets: [{ ref: 'svc://ada/picks#clean', repo }] }, ['ada'])
    expect(draft.datasets).toEqual(['ada/picks-renamed#clean'])
    expect(requestOf(draft, run)?.recipe.dataset).toEqual(['svc://ada/picks-renamed#clean'])
  })

  it('sends nothing while the hyperparameters are not an object', () => {
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
