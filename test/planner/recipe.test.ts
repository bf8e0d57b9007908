import { createHash } from 'node:crypto'
import { datasetRefText, ownDataset } from '@hub/formats/dataset-ref'
import { cpuWithin } from '@hub/testing/cpu'
import { describe, expect, it } from 'vitest'
import { recipeHash, recipeRules } from '../../src/planner/recipe/recipe.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe('a reference to a dataset', () => {
  it.each([
    'svc://ada/pick',
    'svc://a/b',
    `svc://${'a'.repeat(64)}/${'b'.repeat(64)}`,
    'exthub://lerobot/pusht',
    'exthub://Some_Org/Data.Set-1',
    'codehost://ada/repo',
    'codehost://ada/repo@main',
    'codehost://ada/repo@v1.2',
    'codehost://ada/repo/data/train',
    'codehost://ada/repo@0f3c9d/data/día',
    'codehost://ada/repo/..hidden',
  ])('%s is well formed', (ref) => {
    expect(datasetRefText.safeParse(ref).success).toBe(true)
  })

  it.each([
    '',
    'ada/pick',
    'svc://ada',
    'svc://ada/',
    'svc://Ada/pick',
    'svc://ada/pick/more',
    'svc://ada/pick@main',
    'svc:/ada/pick',
    'SVC://ada/pick',
    ' svc://ada/pick',
    'svc://ada/pick\n',
    `svc://${'a'.repeat(65)}/b`,
    'exthub://a',
    'exthub://a/b/c',
    'exthub://a/b@main',
    'exthub://../b',
    'codehost://a',
    'codehost://a/b@',
    'codehost://a/b/',
    'codehost://a/b//c',
    'codehost://a/b/../c',
    'codehost://a/b/.',
    'codehost://a/b/c d',
    'codehost://a/b/c\\d',
    'codehost://a/b@main@next',
    'codehost://a/b/c\0',
    'https://ada/pick',
    `codehost://a/b/${'c'.repeat(1024)}`,
  ])('%j is not', (ref) => {
    expect(datasetRefText.safeParse(ref).success).toBe(false)
  })

  it('names something of this hub by its own scheme alone', () => {
    expect(ownDataset('svc://ada/pick')).toEqual({ owner: 'ada', slug: 'pick' })
    expect(ownDataset('exthub://ada/pick')).toBeNull()
    expect(ownDataset('svc://Ada/pick')).toBeNull()
  })

  it('is judged quickly however it is made', async () => {
    const refused = () => expect(datasetRefText.safeParse(`codehost://a/b${'/.a'.repeat(300)}/..`).success).toBe(false)
    expect(await cpuWithin(100, refused)).toBeLessThan(100)
  })
})

describe('the members of a recipe', () => {
  const cases: readonly [keyof typeof recipeRules, readonly unknown[], readonly unknown[]][] = [
    ['template', ['act', 'x'.repeat(64)], ['', 'x'.repeat(65), 'a\0']],
    ['robot', ['ada/arm', 'so100'], ['', 'x'.repeat(257)]],
    ['maxHours', [0.001, 4, 720], [0, -1, 720.1, Number.POSITIVE_INFINITY, Number.NaN]],
    ['budgetUsd', [0.0001, 5], [0, -5, 0.00001, Number.POSITIVE_INFINITY]],
    ['parentCheckpointStep', [0, 1e12], [-1, 1.5]],
    ['everySteps', [1, 5000], [0, -5, 2.5]],
    ['seeds', [1, 3], [0]],
    ['delay', [0, 2], [-1]],
    ['horizonS', [0.5, 20], [0, -1]],
    ['cellCount', [1], [0]],
    ['consecutive', [1], [0]],
    ['threshold', [0, -1, 0.5], [Number.NaN, Number.POSITIVE_INFINITY]],
    ['dataset', [[], ['svc://a/b', 'exthub://a/b']], [['nothing'], Array.from({ length: 101 }, () => 'svc://a/b')]],
  ]
  it.each(cases)('%s holds to its rule', (name, good, bad) => {
    for (const value of good) expect([value, recipeRules[name].safeParse(value).success]).toEqual([value, true])
    for (const value of bad) expect([value, recipeRules[name].safeParse(value).success]).toEqual([value, false])
  })

  it('hyperparams are any object, and come back as they are', () => {
    const value = { batch_size: 8, aB: { 'x.y': [null, 1.5, 'ü'] }, '': 0 }
    expect(recipeRules.hyperparams.parse(value)).toBe(value)
    for (const bad of [[], 'text', 1, null]) expect(recipeRules.hyperparams.safeParse(bad).success).toBe(false)
  })
})

describe('the hash of a recipe', () => {
  it('is SHA-256 of canonical JSON', () => {
    expect(recipeHash({ template: 'act', dataset: ['svc://a/b'], max_hours: 2 })).toBe(
      sha256('{"dataset":["svc://a/b"],"max_hours":2,"template":"act"}'),
    )
  })

  it('is one for null and absent, for any order of members, and for 2 and 2.0', () => {
    const bare = recipeHash({ template: 'act', hyperparams: { lr: 2 } })
    expect(recipeHash({ gpu: null, hyperparams: { lr: 2.0, seed: null }, template: 'act', robot: null })).toBe(bare)
  })

  it('is another for another order of datasets and for a default that is spelled out', () => {
    const hashes = [
      recipeHash({ template: 'act', dataset: ['svc://a/b', 'svc://a/c'] }),
      recipeHash({ template: 'act', dataset: ['svc://a/c', 'svc://a/b'] }),
      recipeHash({ template: 'act', dataset: ['svc://a/c', 'svc://a/b'], executor: 'worker' }),
    ]
    expect(new Set(hashes).size).toBe(3)
  })
})
