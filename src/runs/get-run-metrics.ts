/**
 * getRunMetrics (contract, "Additions"): each metric of a run as a series that is short enough to draw. Where there are more lines than points, the lines
 * are cut into stretches of equal length, and the lowest and the highest of each stretch stay: no peak is lost.
 */
import type { RequestContext } from '../context.ts'
import type { Statement } from '../store/db.ts'

export interface MetricSeries {
  readonly key: string
  /** Lines that have it. */
  readonly count: number
  /** `[step, value]` in the order of the lines; the number of the line where it has no step. */
  readonly points: readonly (readonly [step: number, value: number])[]
}

export interface RunMetrics {
  /** Every key that has a number in some line, in byte order; what was asked for, where keys were. */
  readonly keys: readonly string[]
  /** Of the first hundred of them. */
  readonly series: readonly MetricSeries[]
}

export const DEFAULT_MAX_POINTS = 500
export const MAX_POINTS = 5000
export const MAX_SERIES = 100

interface KeyRow {
  readonly key: string
  readonly count: number
  readonly first: number
  readonly last: number
}

const numbers = `from run_metrics m where m.run_id = $1 and not m.hidden`

/** Names are told by all lines: some are logged once in a thousand. */
const everyKey: Statement<KeyRow> = {
  name: 'run-metric-keys',
  text: `select e.key, count(*) as count, min(m.seq) as first, max(m.seq) as last
    from run_metrics m cross join lateral json_each(m.line) e
    where m.run_id = $1 and not m.hidden and json_typeof(e.value) = 'number' group by e.key order by e.key collate "C"`,
}

const askedKeys: Statement<KeyRow> = {
  name: 'run-metric-keys-asked',
  text: `select k.key, count(*) as count, min(m.seq) as first, max(m.seq) as last
    from unnest($2::text[]) k(key) cross join lateral (select m.seq, m.line -> k.key as value ${numbers} offset 0) m
    where json_typeof(m.value) = 'number' group by k.key`,
}

/** `[value, seq, step]` each; arrays compare by their first member. A metric with few lines has each line for a stretch. */
type StretchRow = readonly [key: string, low: readonly number[], high: readonly number[]]

const stretches: Statement<StretchRow> = {
  name: 'run-metric-stretches',
  rows: 'array',
  text: `select q.key, min(q.point) as low, max(q.point) as high from (
      select k.key, case when k.count <= $6 then m.seq else (m.seq - k.first) * ($6 / 2) / (k.last - k.first + 1) end as stretch,
        array[(m.value #>> '{}')::float8, m.seq::float8, coalesce(m.step, m.seq::float8)] as point
      from unnest($2::text[], $3::int8[], $4::int8[], $5::int8[]) k(key, count, first, last)
      cross join lateral (select m.seq, m.step, m.line -> k.key as value ${numbers} and m.seq between k.first and k.last offset 0) m
      where json_typeof(m.value) = 'number') q
    group by q.key, q.stretch order by q.key, q.stretch`,
}

export interface MetricsInput {
  readonly keys: readonly string[] | null
  readonly maxPoints: number
}

/** Of a run that the caller sees; `maxPoints` (2 at least) for each series. Lines of an attempt that was lost are not among them. */
export async function getRunMetrics(ctx: RequestContext, runId: string, input: MetricsInput): Promise<RunMetrics> {
  const { db } = ctx.deps
  const asked = input.keys && [...new Set(input.keys)].slice(0, MAX_SERIES)
  const found = asked ? await db.query(askedKeys, [runId, asked]) : await db.query(everyKey, [runId])
  const shown = found.slice(0, MAX_SERIES)
  const columns = [
    shown.map(({ key }) => key),
    shown.map(({ count }) => count),
    shown.map(({ first }) => first),
    shown.map(({ last }) => last),
  ]
  const rows = shown.length === 0 ? [] : await db.query(stretches, [runId, ...columns, input.maxPoints])
  const byKey = Map.groupBy(rows, ([key]) => key)
  const counts = new Map(shown.map(({ key, count }) => [key, count]))
  const keys = asked ?? found.map(({ key }) => key)
  return {
    keys,
    series: keys.slice(0, MAX_SERIES).map((key) => ({
      key,
      count: counts.get(key) ?? 0,
      points: (byKey.get(key) ?? []).flatMap(([, low, high]) => pointsOf(low, high)),
    })),
  }
}

/** The two in the order of their lines; one where they are the same line. */
function pointsOf(low: readonly number[], high: readonly number[]): (readonly [number, number])[] {
  const [a, b] = (low[1] ?? 0) <= (high[1] ?? 0) ? [low, high] : [high, low]
  return (a[1] === b[1] ? [a] : [a, b]).map(([value = 0, , step = 0]) => [step, value] as const)
}
