/** getRunMetrics (contract, "Checkpoints and metrics"): the metrics of a run as series by key. */
import type { RequestContext } from '../../operation/context.ts'
import { turns } from '../../platform/turns.ts'
import { column, columns } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'
import { type MetricLine, readLines } from './metric-lines.ts'
import { type MetricSeries, type SeriesBuilder, seriesBuilder } from './metric-series.ts'
import { LINES_SLICE } from './metrics-line.ts'
import { archivedLines } from './read-archive.ts'

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
  let characters = 0
  for await (const { seq, step, elapsedS, line } of linesOf(ctx, runId, input)) {
    characters += line.length
    if (characters > LINES_SLICE) {
      characters = 0
      await turns.next()
    }
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

/** Stops early if the client has disconnected. Goes on with the archive from where it has come to stand. */
async function* linesOf(ctx: RequestContext, runId: string, input: MetricsInput): AsyncGenerator<MetricLine> {
  const { deps, signal } = ctx
  const [found] = await deps.db.query(lastLine, { runId })
  const upTo = found?.seq ?? 0
  const range = { fromStep: input.fromStep ?? null, toStep: input.toStep ?? null }
  for (let after = 0; after < upTo && !signal.aborted; ) {
    const page = await readLines(deps.db, runId, after, range)
    if (page.isArchived) {
      yield* archivedLines(deps, runId, { after, upTo, ...range }, signal)
      return
    }
    yield* page.lines
    after = page.reaches
  }
}
