/** Pages of a run's metrics lines with their steps and times, from its rows. */
import { column, columns } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'

/** `line` is the JSON of an object, as it was reported. */
export interface MetricLine {
  readonly seq: number
  readonly step: number | null
  /** Seconds from the start of the run to the report of the line. */
  readonly elapsedS: number
  readonly line: string
}

/** Ends included; null is open. A line without a step counts by its number. */
export interface StepRange {
  readonly fromStep: number | null
  readonly toStep: number | null
}

export const everyStep: StepRange = { fromStep: null, toStep: null }

/** Whether the archive of run `:runId` stands; then its rows may be gone, in part or all. */
export const isArchivedSql =
  'exists (select from metric_archives a where a.run_id = :runId and a.storage_key is not null)'

/** Lines usually have some hundred bytes, but can have megabytes: a page ends after the line that exceeds 2 MiB. */
export const PAGE_LINES = 2000
const PAGE_BYTES = 2 * 1024 * 1024

/** One row without a line where the page has none. */
const pageColumns = columns({
  isArchived: column.bool(isArchivedSql),
  seq: column.int8.orNull('p.seq'),
  step: column.float8.orNull('p.step'),
  elapsedS: column.float8.orNull('p.elapsed'),
  line: column.text.orNull('p.line'),
})

/**
 * Lines among the `PAGE_LINES` numbers after `:after`. With both ends of the range given, a page reads no other lines,
 * even if the planner's statistics are older than the run's growth. With one end, PostgreSQL sorted the rest of 200,000
 * lines for each page. The archive is looked for in the same snapshot.
 */
const linesAfter = statement({
  name: 'run-metric-lines',
  exact: 'per-parent',
  columns: pageColumns,
  params: { runId: param.text(), after: param.int8(), fromStep: param.float8.orNull(), toStep: param.float8.orNull() },
  text: `select ${pageColumns.sql} from (values (true)) one left join (
      select seq, step, line, extract(epoch from at - (select coalesce(started_at, created_at) from runs
        where id = :runId))::float8 as elapsed,
        sum(octet_length(line)) over (order by seq) - octet_length(line) as before from (
        select seq, step, line::text as line, at from run_metrics where run_id = :runId and seq > :after
          and seq <= :after + ${PAGE_LINES} and not hidden
          and (:fromStep::float8 is null or coalesce(step, seq) >= :fromStep)
            and (:toStep::float8 is null or coalesce(step, seq) <= :toStep)) l) p
    on p.before < ${PAGE_BYTES} order by p.seq`,
})

interface LinesPage {
  readonly lines: readonly MetricLine[]
  /** The archive stands: the lines may be incomplete. */
  readonly isArchived: boolean
  /** The number up to which the page goes. */
  readonly reaches: number
}

/** The page after line `after`. */
export async function readLines(
  db: Querier,
  runId: string,
  after: number,
  { fromStep, toStep }: StepRange,
): Promise<LinesPage> {
  const rows = await db.query(linesAfter, { runId, after, fromStep, toStep })
  const lines = rows.filter((row): row is typeof row & MetricLine => row.seq !== null)
  return { lines, isArchived: rows[0]?.isArchived ?? false, reaches: lines.at(-1)?.seq ?? after + PAGE_LINES }
}
