import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AccountRef, RequestContext } from '../../../src/operation/context.ts'
import { getRunMetrics } from '../../../src/runs/metrics/get-run-metrics.ts'
import { testDb } from '../../support/database.ts'
import { putRun } from '../../support/runs.ts'
import { makeWorld, type World } from '../../support/world.ts'

const t = testDb()
let world: World
let ada: AccountRef
let ctx: RequestContext
beforeAll(async () => {
  world = await makeWorld({ db: t.db })
  ada = await world.user()
  ctx = world.as(ada)
})
afterAll(() => world?.close())

interface Line {
  readonly step: number | null
  readonly line: Record<string, unknown>
  readonly hidden?: boolean
}

async function runOf(lines: readonly Line[]): Promise<string> {
  const id = await putRun(t.db, { ownerId: ada.id })
  await world.sql(
    `insert into run_metrics (run_id, seq, attempt, step, line, hidden)
      select $1, (l.place * 3), 1, (l.value ->> 'step')::float8, l.value -> 'line', coalesce((l.value ->> 'hidden')::boolean, false)
      from json_array_elements($2::json) with ordinality l(value, place)`,
    [id, JSON.stringify(lines)],
  )
  return id
}

const read = async (lines: readonly Line[], keys: readonly string[] | null = null, maxPoints = 500) =>
  getRunMetrics(ctx, await runOf(lines), { keys, maxPoints })

const wave = (length: number) =>
  Array.from({ length }, (_, at) => ({ step: at * 10, line: { loss: Math.sin(at / 40), 'lr/0': at === 700 ? 9 : 1 } }))

describe('the metrics of a run', () => {
  it('are empty before there are lines', async () => {
    expect(await read([])).toEqual({ keys: [], series: [] })
    expect(await read([], ['loss'])).toEqual({ keys: ['loss'], series: [{ key: 'loss', count: 0, points: [] }] })
  })

  it('are every number, by key in the order of their appearance, with the step of its line or else its number', async () => {
    const lines = [
      { step: 5, line: { b: 1, a: 0.5, Z: -1, name: 'x', flag: true, none: null, nested: { c: 1 }, list: [1] } },
      { step: null, line: { b: 1e300 } },
      { step: 7, line: { late: 3, b: -0.25 } },
    ]
    expect(await read(lines)).toEqual({
      keys: ['b', 'a', 'Z', 'late'],
      series: [
        {
          key: 'b',
          count: 3,
          points: [
            [5, 1],
            [6, 1e300],
            [7, -0.25],
          ],
        },
        { key: 'a', count: 1, points: [[5, 0.5]] },
        { key: 'Z', count: 1, points: [[5, -1]] },
        { key: 'late', count: 1, points: [[7, 3]] },
      ],
    })
  })

  it('are the requested ones, in that order and once', async () => {
    const { keys, series } = await read([{ step: 1, line: { a: 1, b: 2, c: 3 } }], ['c', 'missing', 'a', 'c'])
    expect(keys).toEqual(['c', 'missing', 'a'])
    expect(series.map(({ key, points }) => [key, points.length])).toEqual([
      ['c', 1],
      ['missing', 0],
      ['a', 1],
    ])
  })

  it('omit those of a lost attempt', async () => {
    const lines = [
      { step: 1, line: { a: 1, lost: 1 }, hidden: true },
      { step: 1, line: { a: 2 } },
    ]
    expect(await read(lines)).toEqual({ keys: ['a'], series: [{ key: 'a', count: 1, points: [[1, 2]] }] })
  })

  it('are unchanged if the points suffice', async () => {
    const [loss] = (await read(wave(500), ['loss'], 500)).series
    expect(loss?.points).toEqual(wave(500).map(({ step, line }) => [step, line.loss]))
  })

  it.each([2, 3, 10, 99, 500])(
    'have at most %i points, in order, and keep the lowest and the highest',
    async (maxPoints) => {
      const { series } = await read(wave(1400), null, maxPoints)
      for (const { points, count } of series) {
        expect(count).toBe(1400)
        expect(points.length).toBeLessThanOrEqual(maxPoints)
        expect(points.map(([step]) => step)).toEqual(points.map(([step]) => step).toSorted((a, b) => a - b))
      }
      expect(series[1]?.points).toContainEqual([7000, 9])
      const losses = wave(1400).map(({ line }) => line.loss)
      const kept = (series[0]?.points ?? []).map(([, value]) => value)
      expect([Math.min(...kept), Math.max(...kept)]).toEqual([Math.min(...losses), Math.max(...losses)])
    },
  )

  it('show a rare metric in full beside a frequent one', async () => {
    const lines = wave(1000).map(({ step, line }, at) => ({
      step,
      line: at > 990 ? { ...line, 'eval/rare': at } : line,
    }))
    const { series } = await read(lines, null, 20)
    expect(series.map(({ key, points }) => [key, points.length <= 20 && points.length])).toContainEqual([
      'eval/rare',
      9,
    ])
  })

  it('name all keys and show the first hundred', async () => {
    const line = Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`m${String(at).padStart(3, '0')}`, at]))
    const { keys, series } = await read([{ step: 1, line }])
    expect([keys.length, series.length, series.at(-1)?.key]).toEqual([150, 100, 'm099'])
  })

  it('have at most 100,000 points in total', async () => {
    const line = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`m${at}`, at]))
    const { keys, series } = await read([{ step: 1, line }], null, 5000)
    expect([keys.length, series.length]).toEqual([30, 20])
  })

  it('allow any name', async () => {
    const names = ['__proto__', "o'clock", '"', '$.a', 'a.b', 'ü', '']
    const line = JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}:1`).join()}}`)
    expect((await read([{ step: 1, line }], names)).series.map(({ count }) => count)).toEqual(names.map(() => 1))
    expect((await read([{ step: 1, line }])).keys.toSorted()).toEqual(names.toSorted())
  })
})
