import { describe, expect, it } from 'vitest'
import { atOnce } from '../../../src/platform/slices.ts'
import { LINES_SLICE } from '../../../src/runs/metrics/metrics-line.ts'
import { bestOf, betterOf } from '../../../src/runs/summary/better-values.ts'
import { foldLines, MAX_SUMMARIES, type MetricSummary } from '../../../src/runs/summary/fold-lines.ts'

const numbered = (lines: readonly string[], from = 1) => lines.map((line, at) => ({ seq: from + at, line }))

function folded(...batches: (readonly string[])[]): Record<string, MetricSummary> {
  const summaries = new Map<string, MetricSummary>()
  let from = 1
  for (const batch of batches) {
    atOnce(foldLines(summaries, numbered(batch, from)))
    from += batch.length
  }
  return Object.fromEntries(summaries)
}

describe('the summaries of lines', () => {
  it('have the last, the least and the greatest value with the step of each, the mean and the count', () => {
    const lines = ['{"step":10,"loss":3}', '{"step":20,"loss":1}', '{"step":30,"loss":1}', '{"step":40,"loss":2.5}']
    expect(folded(lines).loss).toEqual({
      key: 'loss',
      count: 4,
      last: 2.5,
      lastStep: 40,
      min: 1,
      minStep: 20,
      max: 3,
      maxStep: 10,
      mean: 1.875,
    })
  })

  it('are the same to the last digit in however many batches the lines come', () => {
    const lines = Array.from({ length: 300 }, (_, at) => JSON.stringify({ a: Math.sin(at) * 1e3, b: 0.1 * at }))
    const each = lines.map((line) => [line])
    expect(folded(...each)).toEqual(folded(lines))
    expect(folded(lines.slice(0, 7), lines.slice(7))).toEqual(folded(lines))
  })

  it('let others take a turn after each slice of the lines', () => {
    const lines = Array.from({ length: 100 }, (_, at) => JSON.stringify({ text: 'x'.repeat(LINES_SLICE), at }))
    const work = foldLines(new Map(), numbered(lines))
    let pauses = 0
    while (!work.next().done) pauses += 1
    expect(pauses).toBe(100)
  })

  it('count a line without a step by its number', () => {
    expect(folded(['{"loss":1}', '{"loss":0}']).loss).toMatchObject({ lastStep: 2, minStep: 2, maxStep: 1 })
  })

  it('are of finite numbers alone', () => {
    const summaries = folded(['{"loss":1e999,"a":null,"b":"NaN","c":true,"d":[1],"e":{"f":1}}', '{"loss":2}'])
    expect(Object.keys(summaries)).toEqual(['loss'])
    expect(summaries.loss).toMatchObject({ count: 1, last: 2, min: 2, max: 2, mean: 2 })
  })

  it('have a mean even of numbers whose difference is beyond the doubles', () => {
    const { mean } = folded(['{"x":1.7e308}', '{"x":-1.7e308}']).x ?? {}
    expect(mean).toBe(0)
  })

  it('are of the first 1000 keys, and of keys that a column can hold', () => {
    const many = Object.fromEntries(Array.from({ length: MAX_SUMMARIES + 5 }, (_, at) => [`k${at}`, at]))
    expect(Object.keys(folded([JSON.stringify(many)]))).toHaveLength(MAX_SUMMARIES)
    const odd = { '\0': 1, '\ud800': 1, ['x'.repeat(257)]: 1, ['😀'.repeat(256)]: 1, __proto__x: 1 }
    expect(Object.keys(folded([JSON.stringify(odd)]))).toEqual(['😀'.repeat(256), '__proto__x'])
  })
})

describe('which values are better', () => {
  it.each([
    ['loss', 'lower'],
    ['val/loss', 'lower'],
    ['train.mse', 'lower'],
    ['valLossTotal', 'lower'],
    ['reward_loss', 'lower'],
    ['eval/mean_reward', 'higher'],
    ['success_rate', 'higher'],
    ['error_reward', 'higher'],
    ['lr', null],
    ['step', null],
    ['floss', null],
    ['', null],
  ] as const)('of %s: %s', (key, better) => {
    expect(betterOf(key)).toBe(better)
  })

  it('decides the best value', () => {
    const { loss, reward, lr } = folded([
      '{"step":1,"loss":2,"reward":2,"lr":2}',
      '{"step":2,"loss":1,"reward":1,"lr":1}',
    ])
    expect([loss, reward, lr].map((one) => one && bestOf(one))).toEqual([
      { value: 1, step: 2 },
      { value: 2, step: 1 },
      null,
    ])
  })
})
