/** getRunMetrics (contract, "Checkpoints and metrics"): the metrics of a run as series by key. */
import type { RequestContext } from '../../operation/context.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { type MetricSeries, type SeriesBuilder, seriesBuilder } from './metric-series.ts'

export interface RunMetrics {
  /** The requested keys; without any, the first 1000 keys that have a number in some line, in order of appearance. */
  readonly keys: readonly string[]
  /** The series of the first 100 of `keys`; of fewer if 100 series of `maxPoints` would exceed 100,000 points. */
  readonly series: readonly MetricSeries[]
}

export const DEFAULT_MAX_POINTS = 500
export const MAX_POINTS = 5000
export const MAX_SERIES = 100
const MAX_KEYS = 1000
const MAX_POINTS_TOGETHER = 100_000

/** `line` is the JSON of an object, as it was reported. */
const lineColumns = columns({
  seq: column.int8('p.seq'),
  step: column.float8.orNull('p.step'),
  elapsedS: column.float8('p.elapsed'),
  line: column.text('p.line'),
})
type LineRow = RowOf<typeof lineColumns>

/** Lines usually have some hundred bytes, but can have megabytes: a page ends after the line that exceeds 2 MiB. */
const PAGE_LINES = 2000
const PAGE_BYTES = 2 * 1024 * 1024

/**
 * Lines among the `PAGE_LINES` numbers after `:after`. With both ends of the range given, a page reads no other lines,
 * even if the planner's statistics are older than the run's growth. With one end, PostgreSQL sorted the rest of 200,000
 * lines for each page.
 */
const linesAfter = statement({
  name: 'run-metric-lines',
  exact: 'per-parent',
  columns: lineColumns,
  params: { runId: param.text(), after: param.int8(), fromStep: param.float8.orNull(), toStep: param.float8.orNull() },
  text: `select ${lineColumns.sql} from (
      select seq, step, line, extract(epoch from at - (select coalesce(started_at, created_at) from runs
        where id = :runId))::float8 as elapsed,
        sum(octet_length(line)) over (order by seq) - octet_length(line) as before from (
        select seq, step, line::text as line, at from run_metrics where run_id = :runId and seq > :after
          and seq <= :after + ${PAGE_LINES} and not hidden
          and (:fromStep::float8 is null or coalesce(step, seq) >= :fromStep)
            and (:toStep::float8 is null or coalesce(step, seq) <= :toStep)) l) p
    where before < ${PAGE_BYTES} order by p.seq`,
})

const seqColumn = columns({ seq: column.int8('metrics_seq') })

const lastLine = statement({
  name: 'run-metrics-last',
  exact: 'per-parent',
  columns: seqColumn,
  params: { runId: param.text() },
  text: `select ${seqColumn.sql} from runs where id = :runId`,
})

export interface MetricsInput {
  readonly keys: readonly string[] | null
  readonly maxPoints: number
  /**
   * Only lines whose step is in this range, ends included; null is open. A line without a step counts by its number.
   */
  readonly fromStep?: number | null
  readonly toStep?: number | null
}

/**
 * The metrics of a run that the caller can see, at most `maxPoints` points (2 or more) per series, without the lines of
 * lost attempts. Lines are read in pages to bound memory; parsing the JSON in the database takes eight times as long.
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
  for await (const { seq, step, elapsedS, line } of linesOf(ctx, runId, input)) {
    // A point is a double, so the plain parser suffices; the parser that keeps the spelling of numbers takes several
    // times as long.
    const members: Readonly<Record<string, unknown>> = JSON.parse(line)
    for (const key of asked ?? Object.keys(members)) {
      const value = Object.hasOwn(members, key) ? members[key] : null
      if (typeof value !== 'number') continue
      const builder = builders.get(key) ?? (builders.has(key) ? null : follow(key))
      builder?.add(step ?? seq, value, elapsedS)
    }
  }
  const series = [...builders.values()].flatMap((builder) => (builder ? [builder.series()] : []))
  return { keys: [...builders.keys()], series }
}

/** Stops early if the client has disconnected. */
async function* linesOf(ctx: RequestContext, runId: string, input: MetricsInput): AsyncGenerator<LineRow> {
  const db: Querier = ctx.deps.db
  const [last] = await db.query(lastLine, { runId })
  for (let after = 0; after < (last?.seq ?? 0) && !ctx.signal.aborted; ) {
    const rows = await db.query(linesAfter, {
      runId,
      after,
      fromStep: input.fromStep ?? null,
      toStep: input.toStep ?? null,
    })
    yield* rows
    after = rows.at(-1)?.seq ?? after + PAGE_LINES
  }
}
