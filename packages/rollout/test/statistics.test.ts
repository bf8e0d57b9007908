import { wilson } from '@hub/formats/wilson'
import { expect, test } from 'vitest'
import type { Outcome } from '../src/loop/episode.ts'
import { summaryOf, worstKept } from '../src/statistics.ts'

// Of Wilson (1927), as R's prop.test(correct = FALSE) and statsmodels give them.
test.each([
  [0, 10, 0, 0.2775],
  [10, 10, 0.7225, 1],
  [5, 10, 0.2366, 0.7634],
  [95, 100, 0.8882, 0.9785],
  [1, 1, 0.2065, 1],
])('%i of %i succeed: between %d and %d', (successes, count, low, high) => {
  const [from, to] = wilson(successes, count)
  expect(from).toBeCloseTo(low, 4)
  expect(to).toBeCloseTo(high, 4)
})

const outcome = (seed: number, success: boolean, value: number): Outcome => ({
  seed,
  success,
  ending: success ? 'reached' : 'missed',
  return: value,
  seconds: 2,
  steps: 3,
  fingerprint: '',
})

test('of all outcomes only what belongs to the worst is made and held, in whatever order they end', () => {
  const made: number[] = []
  const kept = worstKept<number>(2)
  for (const one of [outcome(1, true, 5), outcome(2, true, 1), outcome(3, true, 9), outcome(4, false, 7)])
    kept.add(one, () => {
      made.push(one.seed)
      return one.seed
    })
  expect([kept.all(), made]).toEqual([
    [4, 2],
    [1, 2, 4],
  ])
  const none = worstKept<number>(0)
  none.add(outcome(1, false, 0), () => 1)
  expect(none.all()).toEqual([])
})

test('the worst seeds are those without success, and then of the smallest return', () => {
  const found = summaryOf([
    outcome(1, true, 5),
    outcome(2, false, 4),
    outcome(3, true, 1),
    outcome(4, false, 2),
    outcome(5, true, 3),
    outcome(6, true, 9),
  ])
  expect(found).toMatchObject({ rollouts: 6, successes: 4, mean_return: 4, mean_seconds: 2 })
  expect(found.endings).toEqual({ reached: 4, missed: 2 })
  expect(found.worst_seeds).toEqual([4, 2, 3, 5, 1])
})
