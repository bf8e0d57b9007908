/** What is asked for to make a model of a checkpoint, what an edit of a run sends, and how final values read. */
import { describe, expect, it } from 'vitest'
import { metricText } from '../../../web/src/pages/runs/metric-text.ts'
import { commitOf, metaOf, modelNamed } from '../../../web/src/pages/runs/promote/promote-input.ts'
import { changedKept, keptDraftOf } from '../../../web/src/pages/runs/submit/kept-draft.ts'

const sha256 = 'ab'.repeat(32)
const model = { owner: 'lab', slug: 'walker' }
const checkpoint = {
  step: 40,
  path: 'checkpoints/step_40',
  files: [
    { path: 'checkpoints/step_40/manifest.json', size: 2, sha256 },
    { path: 'checkpoints/step_40/policy/a.onnx', size: 7, sha256 },
  ],
}

describe('a checkpoint that is promoted', () => {
  it('is named by owner and slug', () => {
    expect([' lab/walker ', 'walker', 'lab/', '/walker', 'a/b/c', ''].map(modelNamed)).toEqual([
      model,
      null,
      null,
      null,
      null,
      null,
    ])
  })

  it('gives the model its files without their folder', () => {
    expect(commitOf({ id: 'run_1' }, checkpoint, model)).toEqual({
      owner: 'lab',
      repo: 'walker',
      add: [
        { path: 'manifest.json', size: 2, sha256 },
        { path: 'policy/a.onnx', size: 7, sha256 },
      ],
      message: 'Step 40 of run_1',
    })
  })

  it('waits until all its files have a digest', () => {
    const [first, second] = checkpoint.files
    const files = [first, { path: second?.path ?? '', size: 7, sha256: null }].filter((file) => file !== undefined)
    expect(commitOf({ id: 'run_1' }, { ...checkpoint, files }, model)).toBeNull()
  })

  it('says which run it comes from, and for which robot by its name of now', () => {
    const run = { id: 'run_1', recipe: { template: 'act', robot: 'svc://ada/old' }, robotRepo: null }
    const templates = [{ name: 'act', controlClass: 'SKILL' as const }]
    const named = { id: 'repo_1', fullName: 'ada/arm' }
    expect(metaOf(run, templates, model)).toEqual({
      owner: 'lab',
      repo: 'walker',
      policyType: 'act',
      robot: 'svc://ada/old',
      controlClass: 'SKILL',
      sourceRunId: 'run_1',
    })
    const own = { ...run, recipe: { ...run.recipe, template: 'own' }, robotRepo: named }
    expect(metaOf(own, templates, model)).toMatchObject({ robot: 'ada/arm', controlClass: null })
  })
})

describe('an edit of a run', () => {
  const run = { name: 'night', project: null, group: 'sweep', tags: ['a', 'b'], notes: 'Two\nlines' }

  it('sends what was changed alone, and null for what was emptied', () => {
    const before = keptDraftOf(run)
    expect(changedKept(before, before)).toEqual({})
    expect(changedKept(before, { ...before, name: '  ', tags: 'b, c,' })).toEqual({ name: null, tags: ['b', 'c'] })
    expect(changedKept(before, { ...before, project: 'walk', notes: '' })).toEqual({ project: 'walk', notes: null })
  })
})

describe('a final value', () => {
  it.each([
    [1e-4, '0.0001'],
    [0.00012346, '0.0001235'],
    [1.5e-7, '1.5e-7'],
    [0, '0'],
    [-0.98765, '-0.9877'],
    [12_345.6, '12,350'],
    [100, '100'],
    [3e12, '3e+12'],
  ])('%d reads %s', (value, text) => expect(metricText(value)).toBe(text))
})
