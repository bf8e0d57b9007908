/** getRunMetrics (contract, "Additions"): the metrics of a run as series by key. */
import type { RequestContext } from '../../operation/context.ts'
import { asDouble } from '../../platform/exact-json.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { statement } from '../../store/statement.ts'
import { type MetricSeries, type SeriesBuilder, seriesBuilder } from './metric-series.ts'

export interface RunMetrics {
  /** The first thousand that have a number in some line, in the order in which they appear; what was asked for, where keys were. */
  readonly keys: readonly string[]
  /** Of the first hundred of them; of fewer where they would have more than 100,000 points together. */
  readonly series: readonly MetricSeries[]
}

export const DEFAULT_MAX_POINTS = 500
export const MAX_POINTS = 5000
export const MAX_SERIES = 100
const MAX_KEYS = 1000
const MAX_POINTS_TOGETHER = 100_000

type Line = Readonly<Record<string, unknown>>

/** A line is what its report had; it was held to be an object of this size when it came. */
const lineColumns = columns({
  seq: column<number>('p.seq'),
  step: column<number | null>('p.step'),
  line: column<Line>('p.line'),
})
type LineRow = RowOf<typeof lineColumns>

/** Lines usually have some hundred bytes, but can have megabytes: a page ends after the line that exceeds 2 MiB. */
const PAGE_LINES = 2000
const PAGE_BYTES = 2 * 1024 * 1024

const linesAfter = statement({
  name: 'run-metric-lines',
  columns: lineColumns,
  text: `select ${lineColumns.sql} from (
      select seq, step, line, sum(octet_length(line::text)) over (order by seq) - octet_length(line::text) as before from (
        select seq, step, line from run_metrics where run_id = $1 and seq > $2 and not hidden order by seq limit ${PAGE_LINES}) l) p
    where before < ${PAGE_BYTES} order by p.seq`,
})

export interface MetricsInput {
  readonly keys: readonly string[] | null
  readonly maxPoints: number
}

/**
 * Of a run that the caller sees; `maxPoints` (2 at least) for each series. Lines of an attempt that was lost are not among them. Lines are read in
 * pages to bound memory; parsing the JSON in the database takes eight times as long.
 */
export async function getRunMetrics(ctx: RequestContext, runId: string, input: MetricsInput): Promise<RunMetrics> {
  const asked = input.keys && [...new Set(input.keys)].slice(0, MAX_SERIES)
  const maxSeries = Math.min(MAX_SERIES, Math.floor(MAX_POINTS_TOGETHER / input.maxPoints))
  const builders = new Map<string, SeriesBuilder | null>()
  const follow = (key: string): SeriesBuilder | null => {
    if (builders.size === MAX_KEYS) return null
    const builder = builders.size < maxSeries ? seriesBuilder(key, input.maxPoints) : null
    builders.set(key, builder)
    return builder
  }
  for (const key of asked ?? []) follow(key)
  for await (const { seq, step, line } of linesOf(ctx, runId)) {
    for (const key of asked ?? Object.keys(line)) {
      const value = Object.hasOwn(line, key) ? asDouble(line[key]) : null
      if (value === null) continue
      const builder = builders.get(key) ?? (builders.has(key) ? null : follow(key))
      builder?.add(step ?? seq, value)
    }
  }
  const series = [...builders.values()].flatMap((builder) => (builder ? [builder.series()] : []))
  return { keys: [...builders.keys()], series }
}

/** Stops early if the client has disconnected. */
async function* linesOf(ctx: RequestContext, runId: string): AsyncGenerator<LineRow> {
  const db: Querier = ctx.deps.db
  for (let after = 0; !ctx.signal.aborted; ) {
    const rows = await db.query(linesAfter, [runId, after])
    yield* rows
    const last = rows.at(-1)
    if (!last) return
    after = last.seq
  }
}
