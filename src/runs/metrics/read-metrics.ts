/** Pages of a run's metrics lines, by their numbers: from its rows, or from its archive once that stands. */

import type { Deps } from '../../operation/context.ts'
import { column, columns } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import type { MetricRow, MetricsPage } from '../../work/log/job-log.ts'
import { everyStep, isArchivedSql } from './metric-lines.ts'
import { archivedLines } from './read-archive.ts'

/**
 * How many line numbers a statement covers, with both ends of the range given (see metric-lines.ts). Lines usually
 * have some hundred bytes, but can have megabytes: a page ends after the line that exceeds 2 MiB.
 */
const METRICS_PAGE = 500
const METRICS_PAGE_BYTES = 2 * 1024 * 1024

/** One row without a line where the page has none. */
const metricsAfterColumns = columns({
  isArchived: column.bool(isArchivedSql),
  seq: column.int8.orNull('p.seq'),
  line: column.text.orNull('p.line'),
  found: column.int4.orNull('p.found'),
})

/** `found` is how many lines the page would have without the bound on its size. */
const metricsAfter = statement({
  name: 'run-log-metrics',
  exact: 'per-parent',
  columns: metricsAfterColumns,
  params: { runId: param.text(), from: param.int8(), to: param.int8() },
  text: `select ${metricsAfterColumns.sql} from (values (true)) one left join (
      select seq, line, count(*) over ()::int as found,
        sum(octet_length(line)) over (order by seq rows between unbounded preceding and 1 preceding) as before
      from (select seq, line::text as line from run_metrics where run_id = :runId and seq > :from and seq <= :to
        and not hidden) l) p
    on p.before is null or p.before < ${METRICS_PAGE_BYTES} order by p.seq`,
})

/** `page` is null where no row is in the range. */
async function readRows(db: Querier, runId: string, from: number, to: number) {
  const read = await db.query(metricsAfter, { runId, from, to })
  const rows = read.flatMap(({ seq, line }): MetricRow[] => (seq === null || line === null ? [] : [{ seq, line }]))
  const last = rows.at(-1)
  const page = last ? { rows, reaches: rows.length === read[0]?.found ? to : last.seq } : null
  return { page, isArchived: read[0]?.isArchived ?? false }
}

/**
 * A page of the metrics rows with numbers after `after` up to `upTo`, and the number that the page reaches: `upTo` if
 * there are no rows. For runs that have no archive yet, as those that still report and those that are not counted yet.
 */
export async function readMetrics(db: Querier, runId: string, after: number, upTo: number): Promise<MetricsPage> {
  for (let from = after; from < upTo; from += METRICS_PAGE) {
    const { page } = await readRows(db, runId, from, Math.min(from + METRICS_PAGE, upTo))
    if (page) return page
  }
  return { rows: [], reaches: upTo }
}

/**
 * The same page of a run that may be archived. Rows and archive are looked for in one snapshot, so none of the lines is
 * missed while the job drops rows.
 */
export async function readRunMetrics(
  deps: Pick<Deps, 'db' | 'objects'>,
  runId: string,
  after: number,
  upTo: number,
): Promise<MetricsPage> {
  for (let from = after; from < upTo; from += METRICS_PAGE) {
    const { page, isArchived } = await readRows(deps.db, runId, from, Math.min(from + METRICS_PAGE, upTo))
    if (isArchived) return archivedPage(deps, runId, from, upTo)
    if (page) return page
  }
  return { rows: [], reaches: upTo }
}

/** Ends where a page of rows ends: with the range of `METRICS_PAGE` numbers that has the first line, or its bytes. */
async function archivedPage(
  deps: Pick<Deps, 'db' | 'objects'>,
  runId: string,
  after: number,
  upTo: number,
): Promise<MetricsPage> {
  const rows: MetricRow[] = []
  let reaches = upTo
  let bytes = 0
  for await (const { seq, line } of archivedLines(deps, runId, { after, upTo, ...everyStep })) {
    if (rows.length === 0) reaches = Math.min(after + Math.ceil((seq - after) / METRICS_PAGE) * METRICS_PAGE, upTo)
    if (seq > reaches) break
    const last = rows.at(-1)
    if (last && bytes >= METRICS_PAGE_BYTES) return { rows, reaches: last.seq }
    rows.push({ seq, line })
    bytes += Buffer.byteLength(line)
  }
  return { rows, reaches }
}
