import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { AccountRef, RequestContext } from '../../../src/operation/context.ts'
import { getRunMetrics } from '../../../src/runs/metrics/get-run-metrics.ts'
import { type NamedStatement, orderedValues } from '../../../src/store/statement.ts'
import { testDb } from '../../support/database.ts'
import { blocksOf, plansOf } from '../../support/plans.ts'
import { putRun } from '../../support/runs.ts'
import { makeWorld, type World } from '../../support/world.ts'

type Given = Readonly<Record<string, unknown>>

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

/** Line n of the log was reported n seconds after the run began. */
async function runOf(lines: readonly Line[]): Promise<string> {
  const id = await putRun(t.db, { ownerId: ada.id })
  await world.sql(
    `insert into run_metrics (run_id, seq, attempt, step, line, hidden, at)
      select $1, (l.place * 3), 1, (l.value ->> 'step')::float8, l.value -> 'line', coalesce((l.value ->> 'hidden')::boolean, false),
        (select created_at from runs where id = $1) + make_interval(secs => l.place)
      from json_array_elements($2::json) with ordinality l(value, place)`,
    [id, JSON.stringify(lines)],
  )
  await world.sql('update runs set metrics_seq = $2 where id = $1', [id, lines.length * 3])
  return id
}

const read = async (lines: readonly Line[], keys: readonly string[] | null = null, maxPoints = 500) =>
  getRunMetrics(ctx, await runOf(lines), { keys, maxPoints })

const wave = (length: number) =>
  Array.from({ length }, (_, at) => ({ step: at * 10, line: { loss: Math.sin(at / 40), 'lr/0': at === 700 ? 9 : 1 } }))

describe('the metrics of a run', () => {
  it('are empty before there are lines', async () => {
    expect(await read([])).toEqual({ keys: [], series: [] })
    expect(await read([], ['loss'])).toEqual({
      keys: ['loss'],
      series: [{ key: 'loss', count: 0, points: [], elapsedS: [] }],
    })
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
          elapsedS: [1, 2, 3],
        },
        { key: 'a', count: 1, points: [[5, 0.5]], elapsedS: [1] },
        { key: 'Z', count: 1, points: [[5, -1]], elapsedS: [1] },
        { key: 'late', count: 1, points: [[7, 3]], elapsedS: [3] },
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
    expect(await read(lines)).toEqual({
      keys: ['a'],
      series: [{ key: 'a', count: 1, points: [[1, 2]], elapsedS: [2] }],
    })
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

  it('of a range of steps are those of its lines alone, with the points that the whole has no room for', async () => {
    const id = await runOf(wave(1400))
    const ask = (fromStep: number | null, toStep: number | null) =>
      getRunMetrics(ctx, id, { keys: ['lr/0'], maxPoints: 20, fromStep, toStep })
    const [part] = (await ask(6990, 7010)).series
    expect(part).toEqual({
      key: 'lr/0',
      count: 3,
      points: [
        [6990, 1],
        [7000, 9],
        [7010, 1],
      ],
      elapsedS: [700, 701, 702],
    })
    const counts = async (from: number | null, to: number | null) =>
      (await ask(from, to)).series.map(({ count }) => count)
    expect([await counts(null, 50), await counts(13_980, null), await counts(9, 9)]).toEqual([[6], [2], [0]])
  })

  it('of a range count a line without a step by its number', async () => {
    const id = await runOf([1, 2, 3].map((a) => ({ step: null, line: { a } })))
    const { series } = await getRunMetrics(ctx, id, { keys: null, maxPoints: 20, fromStep: 4, toStep: null })
    expect(series.map(({ points }) => points)).toEqual([
      [
        [6, 2],
        [9, 3],
      ],
    ])
  })

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

  it('are read a page of numbers at a time, though the server has not counted the table yet', async () => {
    const id = await runOf(Array.from({ length: 10_000 }, (_, step) => ({ step, line: { a: step } })))
    const asked = vi.spyOn(t.db, 'query')
    const { series } = await getRunMetrics(ctx, id, { keys: null, maxPoints: 500 })
    const calls = asked.mock.calls as unknown as (readonly [NamedStatement<unknown, Given>, Given])[]
    const pages = calls.filter(([{ name }]) => name === 'run-metric-lines')
    asked.mockRestore()
    expect([series[0]?.count, pages.length]).toEqual([10_000, 16])
    for (const [statement, given] of pages.slice(3, 5))
      for (const plan of await plansOf(t.db, statement.text, orderedValues(statement, given)))
        expect(blocksOf(plan)).toBeLessThan(40)
  })
})
