/** The pure parts of the pages of runs. */
import { describe, expect, it } from 'vitest'
import { aligned } from '../../web/src/pages/runs/aligned.ts'
import { differences } from '../../web/src/pages/runs/config-diff.ts'
import {
  ascending,
  type Curve,
  extent,
  isCounter,
  moved,
  positive,
  smoothed,
  spliced,
  stepsOf,
  zoomed,
} from '../../web/src/pages/runs/curve.ts'

describe('configs', () => {
  const key = (path: string, value: string, group = '') => ({ group, path, value })

  it('differ in the keys with other values, and in those that some lack, by path', () => {
    const first = [key('lr', '1e-4'), key('seed', '1'), key('steps', '10', 'train')]
    const second = [key('lr', '3e-4'), key('seed', '1'), key('batch', '8')]
    expect(differences([first, second])).toEqual([
      { path: 'batch', values: [null, '8'] },
      { path: 'lr', values: ['1e-4', '3e-4'] },
      { path: 'train.steps', values: ['10', null] },
    ])
    const third = [key('lr', '1e-4'), key('seed', '2')]
    expect(differences([first, first, third])).toEqual([
      { path: 'seed', values: ['1', '1', '2'] },
      { path: 'train.steps', values: ['10', '10', null] },
    ])
  })

  it('differ where a value is empty in one and absent in the other, and not where all is the same', () => {
    expect(differences([[key('note', '')], []])).toEqual([{ path: 'note', values: ['', null] }])
    expect(differences([[key('a', '1')], [key('a', '1')]])).toEqual([])
    expect(differences([[key('a', '1')]])).toEqual([])
    expect(differences([])).toEqual([])
  })

  it('keep a key of a group apart from one of the same name without', () => {
    expect(differences([[key('lr', '1')], [key('lr', '1', 'train')]])).toEqual([
      { path: 'lr', values: ['1', null] },
      { path: 'train.lr', values: [null, '1'] },
    ])
  })
})

describe('lines over their own steps', () => {
  const line = (name: string, points: readonly (readonly [number, number])[]) => ({
    name,
    steps: points.map(([step]) => step),
    values: points.map(([, value]) => value),
  })

  it('share the steps of all, with no value where one has none', () => {
    const [a, b] = [
      line('a', [
        [1, 10],
        [3, 30],
      ]),
      line('b', [
        [2, 0.2],
        [3, 0.3],
        [5, 0.5],
      ]),
    ]
    expect(aligned([a, b])).toEqual([
      [1, 2, 3, 5],
      [10, null, 30, null],
      [null, 0.2, 0.3, 0.5],
    ])
  })

  it('keep each point of a step that a line has twice', () => {
    const twice = line('twice', [
      [1, 1],
      [1, 2],
      [2, 3],
    ])
    const once = line('once', [[1, 9]])
    expect(aligned([twice, once])).toEqual([
      [1, 1, 2],
      [1, 2, 3],
      [9, null, null],
    ])
    expect(aligned([twice])).toEqual([
      [1, 1, 2],
      [1, 2, 3],
    ])
  })

  it('of nothing are nothing, also beside one that has points', () => {
    expect(aligned([])).toEqual([[]])
    expect(aligned([line('none', [])])).toEqual([[], []])
    expect(aligned([line('none', []), line('one', [[7, 1]])])).toEqual([[7], [null], [1]])
  })
})

describe('a curve', () => {
  /** Two points for a hundred lines each. */
  const coarse: Curve = {
    key: 'loss',
    count: 500,
    steps: [0, 90, 110, 190, 250, 400],
    values: [1, 9, 2, 8, 3, 7],
    elapsedS: [0, 9, 11, 19, 25, 40],
  }
  const bySteps = ({ steps }: Curve) => steps

  it('is smooth as TensorBoard makes it: it begins with its first value, and a constant stays one', () => {
    expect(smoothed([3, 3, 3], 0.9)).toEqual([expect.closeTo(3), expect.closeTo(3), expect.closeTo(3)])
    expect(smoothed([1, 2], 0.5)).toEqual([1, expect.closeTo(5 / 3)])
    expect(smoothed([1, 5, 2], 0)).toEqual([1, 5, 2])
    expect(smoothed([], 0.5)).toEqual([])
  })

  it('that only counts the steps is known as such', () => {
    expect(isCounter({ ...coarse, values: coarse.steps })).toBe(true)
    expect(isCounter(coarse)).toBe(false)
  })

  it('has no logarithm at zero and below', () => {
    expect(positive([1, 0, -1, 1e-9])).toEqual([1, null, null, 1e-9])
  })

  it('whose trainer counts again from zero is drawn from left to right, equal steps in their order', () => {
    expect(ascending([0, 5, 2, 5], [10, 11, 12, 13])).toEqual([
      [0, 2, 5, 5],
      [10, 12, 11, 13],
    ])
    expect(ascending([1, 1, 2], [1, 2, 3])).toEqual([
      [1, 1, 2],
      [1, 2, 3],
    ])
  })

  it('asks for the steps that reach to both edges of what is in view, and for none if it has them all', () => {
    expect(stepsOf([coarse], bySteps, [100, 200])).toEqual([90, 250])
    expect(stepsOf([coarse], ({ elapsedS }) => elapsedS, [10, 20])).toEqual([90, 250])
    expect(stepsOf([coarse], bySteps, [-5, 1000])).toEqual([0, 400])
    expect(stepsOf([{ ...coarse, count: 6 }], bySteps, [100, 200])).toBeNull()
    expect(stepsOf([], bySteps, [100, 200])).toBeNull()
  })

  it('of two runs asks for the steps of both', () => {
    const shifted = { ...coarse, steps: coarse.steps.map((step) => step + 1000) }
    expect(stepsOf([coarse, shifted], ({ elapsedS }) => elapsedS, [10, 20])).toEqual([90, 1250])
  })

  it('shows all points of a part in place of the extremes, between those of the rest', () => {
    const fine: Curve = {
      key: 'loss',
      count: 4,
      steps: [90, 100, 110, 190],
      values: [9, 5, 2, 8],
      elapsedS: [9, 10, 11, 19],
    }
    expect(spliced(coarse, fine, [90, 190])).toEqual({
      key: 'loss',
      count: 500,
      steps: [0, 90, 100, 110, 190, 250, 400],
      values: [1, 9, 5, 2, 8, 3, 7],
      elapsedS: [0, 9, 10, 11, 19, 25, 40],
    })
    expect(spliced(coarse, fine, [0, 1000]).steps).toEqual(fine.steps)
    expect(spliced(coarse, undefined, [0, 1])).toBe(coarse)
    expect(spliced(coarse, { ...fine, steps: [], values: [], elapsedS: [] }, [0, 1])).toBe(coarse)
  })
})

describe('the part in view', () => {
  const all = [0, 100] as const

  it('gets shorter around its middle, and is all again when it gets as long', () => {
    expect(zoomed(null, all, 0.5)).toEqual([25, 75])
    expect(zoomed([25, 75], all, 0.5)).toEqual([37.5, 62.5])
    expect(zoomed([80, 100], all, 2)).toEqual([70, 100])
    expect(zoomed([25, 75], all, 2)).toBeNull()
  })

  it('moves as far as there are points, and keeps its length', () => {
    expect(moved([20, 40], all, 0.5)).toEqual([30, 50])
    expect(moved([70, 90], all, 1)).toEqual([80, 100])
    expect(moved([5, 25], all, -0.5)).toEqual([0, 20])
    expect(moved(null, all, 1)).toBeNull()
  })

  it('is of the points of all charts', () => {
    expect(extent([[3, 9], [], [-1, 4]])).toEqual([-1, 9])
    expect(extent([[], []])).toBeNull()
  })
})
