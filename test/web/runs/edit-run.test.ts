/** What an edit of a run sends, and how final values read. */
import { describe, expect, it } from 'vitest'
import { metricText } from '../../../web/src/pages/runs/metric-text.ts'
import { changedKept, keptDraftOf } from '../../../web/src/pages/runs/submit/kept-draft.ts'

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
