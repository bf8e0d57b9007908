/** Where the marks of the latency chart stand. */
import { expect, it } from 'vitest'
import { marksOf, pairText, topOf } from '../../../web/src/pages/endpoints/latency.ts'

const session = (id: string, openedAt: string, service: number | null, roundTrip: number | null) => ({
  id,
  openedAt,
  serviceMsP50: service,
  serviceMsP95: service === null ? null : service * 2,
  rttMsP50: roundTrip,
  rttMsP95: roundTrip === null ? null : roundTrip * 2,
})

it('are those of sessions that reported, oldest first', () => {
  const marks = marksOf([
    session('c', '2026-11-25T12:00:00Z', 8, null),
    session('b', '2026-11-25T11:00:00Z', null, null),
    session('a', '2026-11-25T10:00:00Z', 4, 20),
  ])
  expect(marks).toEqual([
    { id: 'a', openedAt: '2026-11-25T10:00:00Z', service: { p50: 4, p95: 8 }, roundTrip: { p50: 20, p95: 40 } },
    { id: 'c', openedAt: '2026-11-25T12:00:00Z', service: { p50: 8, p95: 16 }, roundTrip: null },
  ])
  expect(topOf(marks)).toBe(50)
})

it.each([
  [0, 1],
  [0.3, 0.5],
  [1, 1],
  [10.1, 20],
  [99, 100],
  [501, 1000],
])('a slowest of %d ms has %d ms at the top', (slowest, top) => {
  expect(topOf([{ id: 'a', openedAt: '', service: { p50: 0, p95: slowest }, roundTrip: null }])).toBeCloseTo(top, 9)
})

it('are told with three digits', () => {
  expect([pairText(8.2345, 21), pairText(null, 1234.5), pairText(null, null)]).toEqual([
    '8.23 / 21 ms',
    '– / 1,230 ms',
    '–',
  ])
})
