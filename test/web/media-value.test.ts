/** Tables and histograms of a run's media as a page reads them. */
import { expect, it } from 'vitest'
import { barsOf, histogramOf, placeOfStep, tableOf, valueIn } from '../../web/src/pages/runs/media/media-value.ts'

it('reads a table with its numbers as they were written', () => {
  const table = tableOf(valueIn('{"columns":["n"],"rows":[[9007199254740993],[1.0]]}'))
  expect(table?.rows.map(String)).toEqual(['9007199254740993', '1.0'])
  expect([tableOf(valueIn('{"columns":["n"],"rows":[[1')), tableOf({ columns: [], rows: [1] }), tableOf([])]).toEqual([
    null,
    null,
    null,
  ])
})

it('draws a histogram by the widths of its bins, and the greatest count at full height', () => {
  const histogram = histogramOf(valueIn('{"edges":[0,1.0,4],"counts":[2,4]}'))
  expect(histogram && barsOf(histogram)).toEqual([
    [0, 25, 50],
    [25, 75, 100],
  ])
  expect(barsOf({ edges: [3, 3, 3], counts: [0, 0] })).toEqual([
    [0, 50, 0],
    [50, 50, 0],
  ])
  expect([histogramOf({ edges: [1], counts: [1] }), histogramOf({ edges: [1, 'a'], counts: [1] })]).toEqual([
    null,
    null,
  ])
})

it('joins neighbors of a histogram with more bins than a page has pixels', () => {
  const edges = Array.from({ length: 130_002 }, (_, place) => place)
  const histogram = histogramOf({ edges, counts: edges.slice(1).map(() => 1) })
  expect(histogram?.counts.reduce((sum, one) => sum + one, 0)).toBe(130_001)
  expect([histogram?.edges[0], histogram?.edges.at(-1)]).toEqual([0, 130_001])
  const bars = histogram ? barsOf(histogram) : []
  expect(bars.length).toBeLessThanOrEqual(1000)
  expect(bars).toHaveLength((histogram?.edges.length ?? 0) - 1)
})

it('finds the step at or before the one that is asked for', () => {
  expect([null, 0, 5, 7, 100].map((step) => placeOfStep([2, 5, 9], step))).toEqual([2, 0, 1, 1, 2])
  expect(placeOfStep([], null)).toBe(0)
})
