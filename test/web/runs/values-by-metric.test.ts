import { expect, it } from 'vitest'
import { valuesByMetric } from '../../../web/src/pages/runs/values-by-metric.ts'

it('has a row for each metric that one of the runs has, in the order of the columns', () => {
  const runs = [
    { id: 'b', summary: [{ key: 'loss', last: 0.5 }] },
    {
      id: 'a',
      summary: [
        { key: 'reward', last: 3 },
        { key: 'loss', last: 0 },
      ],
    },
  ]
  expect(valuesByMetric(['a', 'b', 'gone'], runs)).toEqual([
    { key: 'loss', values: [0, 0.5, null] },
    { key: 'reward', values: [3, null, null] },
  ])
  expect(valuesByMetric(['a'], [])).toEqual([])
})
