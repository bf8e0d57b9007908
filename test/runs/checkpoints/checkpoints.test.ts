import { describe, expect, it } from 'vitest'
import { checkpointsOf } from '../../../src/runs/checkpoints/checkpoints.ts'

const file = (path: string, size = 1, updatedAt = '2026-01-01T00:00:00.000Z') => ({
  path,
  size,
  etag: null,
  sha256: null,
  mime: null,
  updatedAt,
})

describe('checkpoints', () => {
  it('are directories of a step, sorted by step and not by name', () => {
    const paths = [
      'checkpoints/step_1000/policy.bin',
      'checkpoints/step_200/policy.bin',
      'checkpoints/step_30/policy.bin',
    ]
    expect(checkpointsOf(paths.map((path) => file(path))).map(({ step, path }) => [step, path])).toEqual([
      [30, 'checkpoints/step_30'],
      [200, 'checkpoints/step_200'],
      [1000, 'checkpoints/step_1000'],
    ])
  })

  it('have their files, bytes, and the time of their last file', () => {
    const files = [
      file('checkpoints/step_5/manifest.json', 10, '2026-01-01T10:00:00.000Z'),
      file('checkpoints/step_5/policy/a.bin', 100, '2026-01-01T12:00:00.000Z'),
      file('checkpoints/step_5/policy/b.bin', 1000, '2026-01-01T11:00:00.000Z'),
    ]
    expect(checkpointsOf(files)).toEqual([
      { step: 5, path: 'checkpoints/step_5', files, bytes: 1110, publishedAt: '2026-01-01T12:00:00.000Z' },
    ])
  })

  it.each([
    'checkpoints/step_5',
    'checkpoints/step_/a',
    'checkpoints/step_5a/a',
    'checkpoints/step_-5/a',
    'checkpoints/step_1e3/a',
    'checkpoints/step_1.5/a',
    'checkpoints/last/a',
    'old/checkpoints/step_5/a',
    `checkpoints/step_${'9'.repeat(16)}/a`,
  ])('are not read out of %s', (path) => {
    expect(checkpointsOf([file(path)])).toEqual([])
  })

  it('of one step in two spellings stay two directories', () => {
    const files = ['checkpoints/step_007/a', 'checkpoints/step_7/a'].map((path) => file(path))
    expect(checkpointsOf(files).map(({ step, path }) => [step, path])).toEqual([
      [7, 'checkpoints/step_007'],
      [7, 'checkpoints/step_7'],
    ])
  })
})
