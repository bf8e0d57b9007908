/** `runs/{run_id}/metrics.jsonl`: the metrics of a run that has ended, as one object. Spec, Run.metrics_key. */
import { Readable } from 'node:stream'
import type { Deps } from '../operation/context.ts'
import { metricsKey } from '../runs/log/run-objects.ts'
import { readMetrics } from '../runs/metrics/read-metrics.ts'
import { column, columns } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { areDeletionsHeld } from '../store/deletion-hold.ts'
import type { ObjectStore } from '../store/objects/object-store.ts'
import { param, statement } from '../store/statement.ts'
import { namedByRuns } from './collect-job-objects.ts'

const metricsSizeColumns = columns({
  last: column.int8.orNull('max(seq)'),
  bytes: column.int8('coalesce(sum(octet_length(line::text) + 1), 0)::bigint'),
})

/** The last line number and the size of the file, with one newline after each line. */
const metricsSize = statement({
  name: 'run-metrics-size',
  exact: 'aggregate',
  columns: metricsSizeColumns,
  params: { runId: param.text() },
  text: `select ${metricsSizeColumns.sql}
    from run_metrics where run_id = :runId and not hidden`,
})

/**
 * Writes the object from the rows, page by page; idempotent, since an ended run gets no more rows. A run that was
 * deleted meanwhile, whose purge may have listed its objects before this one, keeps none.
 */
export async function writeMetricsFile(
  deps: Pick<Deps, 'db'>,
  objects: ObjectStore,
  runId: string,
  signal: AbortSignal,
): Promise<void> {
  const [found] = await deps.db.query(metricsSize, { runId })
  if (!found || found.last === null) return
  const key = metricsKey(runId)
  await objects.put(key, Readable.from(linesOf(deps.db, runId, found.last)), {
    sizeBytes: found.bytes,
    contentType: 'application/x-ndjson',
    signal,
  })
  const named = await deps.db.query(namedByRuns, { jobIds: [runId], keys: [key] })
  if (!named.some((row) => row.key === key) && !(await areDeletionsHeld(deps.db))) await objects.delete([key], signal)
}

async function* linesOf(db: Querier, runId: string, last: number): AsyncGenerator<Buffer> {
  for (let after = 0; after < last; ) {
    const { rows, reaches } = await readMetrics(db, runId, after, last)
    if (rows.length > 0) yield Buffer.from(rows.map(({ line }) => `${line}\n`).join(''))
    after = reaches
  }
}
