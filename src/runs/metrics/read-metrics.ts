/** Pages of a run's metrics lines, by their numbers. */

import { column, columns } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import type { MetricsPage } from '../../work/log/job-log.ts'

/**
 * How many line numbers a statement covers, with both ends of the range given (see get-run-metrics.ts). Lines usually
 * have some hundred bytes, but can have megabytes: a page ends after the line that exceeds 2 MiB.
 */
const METRICS_PAGE = 500
const METRICS_PAGE_BYTES = 2 * 1024 * 1024

const metricsAfterColumns = columns({ seq: column.int8('seq'), line: column.text('line'), found: column.int4('found') })

/** `found` is how many lines the page would have without the bound on its size. */
const metricsAfter = statement({
  name: 'run-log-metrics',
  exact: 'per-parent',
  columns: metricsAfterColumns,
  params: { runId: param.text(), from: param.int8(), to: param.int8() },
  text: `select ${metricsAfterColumns.sql} from (
      select seq, line, count(*) over ()::int as found,
        sum(octet_length(line)) over (order by seq rows between unbounded preceding and 1 preceding) as before
      from (select seq, line::text as line from run_metrics where run_id = :runId and seq > :from and seq <= :to
        and not hidden) l) p
    where before is null or before < ${METRICS_PAGE_BYTES} order by seq`,
})

/**
 * A page of the metrics rows with numbers after `after` up to `upTo`, and the number that the page reaches: `upTo` if
 * there are no rows.
 */
export async function readMetrics(db: Querier, runId: string, after: number, upTo: number): Promise<MetricsPage> {
  for (let from = after; from < upTo; ) {
    const to = Math.min(from + METRICS_PAGE, upTo)
    const rows = await db.query(metricsAfter, { runId, from, to })
    const last = rows.at(-1)
    if (last) return { rows, reaches: rows.length === last.found ? to : last.seq }
    from = to
  }
  return { rows: [], reaches: upTo }
}
