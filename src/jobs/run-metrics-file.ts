/** `runs/{run_id}/metrics.jsonl`: the metrics of a run that has ended, as one object. Spec, Run.metrics_key. */
import { Readable } from 'node:stream'
import type { Deps } from '../operation/context.ts'
import { metricsKey } from '../runs/log/run-objects.ts'
import { isArchivedSql } from '../runs/metrics/metric-lines.ts'
import { readRunMetrics } from '../runs/metrics/read-metrics.ts'
import { column, columns } from '../store/columns.ts'
import { areDeletionsHeld } from '../store/deletion-hold.ts'
import { insertSelected, sql } from '../store/insert.ts'
import type { ObjectStore } from '../store/objects/object-store.ts'
import { param, statement } from '../store/statement.ts'
import { namedByRuns } from './collect-job-objects.ts'

const metricsSizeColumns = columns({
  last: column.int8.orNull('max(seq)'),
  bytes: column.int8('coalesce(sum(octet_length(line::text) + 1), 0)::bigint'),
  isArchived: column.bool(isArchivedSql),
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

/** A shorter run stays in rows: an object of its own costs more than they do. The migration has the number too. */
const MIN_LINES = 200

const archive = insertSelected('metric_archives', {
  runId: param.text(),
  stillSince: sql('finished_at'),
})
const enterArchive = statement({
  name: 'metric-archive-enter',
  params: archive.params,
  text: `${archive.sql} from runs where id = :runId and finished_at is not null and metrics_seq >= ${MIN_LINES}
    on conflict do nothing`,
})

/**
 * Writes the object from the rows, page by page; idempotent, since an ended run gets no more rows. A run that was
 * deleted meanwhile, whose purge may have listed its objects before this one, keeps none. A run with many lines is
 * entered for the archive.
 */
export async function writeMetricsFile(
  deps: Pick<Deps, 'db'>,
  objects: ObjectStore,
  runId: string,
  signal: AbortSignal,
): Promise<void> {
  const [found] = await deps.db.query(metricsSize, { runId })
  // What is archived has its file, and fewer rows than lines.
  if (!found || found.last === null || found.isArchived) return
  const key = metricsKey(runId)
  await objects.put(key, Readable.from(linesOf({ db: deps.db, objects }, runId, found.last)), {
    sizeBytes: found.bytes,
    contentType: 'application/x-ndjson',
    signal,
  })
  const named = await deps.db.query(namedByRuns, { jobIds: [runId], keys: [key] })
  if (named.some((row) => row.key === key)) await deps.db.query(enterArchive, { runId })
  else if (!(await areDeletionsHeld(deps.db))) await objects.delete([key], signal)
}

async function* linesOf(deps: Pick<Deps, 'db' | 'objects'>, runId: string, last: number): AsyncGenerator<Buffer> {
  for (let after = 0; after < last; ) {
    const { rows, reaches } = await readRunMetrics(deps, runId, after, last)
    if (rows.length > 0) yield Buffer.from(rows.map(({ line }) => `${line}\n`).join(''))
    after = reaches
  }
}
