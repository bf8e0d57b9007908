/**
 * `runs/{run_id}/metrics.jsonl`: the metrics of a run that has ended, as one object. Spec, Run.metrics_key. Each end of
 * a run enqueues the writing; `unfiled_metrics` lists those that were not written, for the sweep.
 */
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
import { inBatches, turnOf } from './batches.ts'
import { namedByRuns } from './collect-job-objects.ts'
import { summarizeRun } from './run-summaries.ts'

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
  text: `with filed as (delete from unfiled_metrics where run_id = :runId)
    ${archive.sql} from runs where id = :runId and finished_at is not null and metrics_seq >= ${MIN_LINES}
    on conflict do nothing`,
})

const filed = statement({
  name: 'metrics-filed',
  params: { runId: param.text() },
  text: 'delete from unfiled_metrics where run_id = :runId',
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
  if (!found || found.last === null || found.isArchived) {
    await deps.db.query(filed, { runId })
    return
  }
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

/** Counts what a hub from before summaries has left of the run, then writes its file. */
export async function fileMetrics(
  deps: Pick<Deps, 'db'>,
  objects: ObjectStore | null,
  runId: string,
  signal: AbortSignal,
): Promise<void> {
  await summarizeRun(deps, runId, signal)
  if (objects) await writeMetricsFile(deps, objects, runId, signal)
}

/** Longer than the job takes with all that it is tried again. */
const WAIT_SECONDS = 900
const BATCH = 20

const unfiledColumns = columns({ runId: column.text('run_id') })

const unfiled = statement({
  name: 'metrics-unfiled',
  exact: 'next-batch',
  columns: unfiledColumns,
  text: `select ${unfiledColumns.sql} from unfiled_metrics where waits_from < now() - interval '${WAIT_SECONDS} seconds'
    order by waits_from limit ${BATCH}`,
})

const postpone = statement({
  name: 'metrics-unfiled-postpone',
  params: { runId: param.text() },
  text: 'update unfiled_metrics set waits_from = now() where run_id = :runId',
})

/**
 * Files the metrics of runs whose own job did not: that of an older hub, which enters no run for an archive, and one
 * that failed too often. A run that cannot be filed waits as long again, so that it keeps no other from its turn.
 */
export async function fileLeftMetrics(
  deps: Pick<Deps, 'db' | 'log'>,
  objects: ObjectStore,
  signal: AbortSignal,
): Promise<void> {
  await inBatches(turnOf(signal), BATCH, async () => {
    const runs = await deps.db.query(unfiled)
    for (const { runId } of runs) {
      signal.throwIfAborted()
      await deps.db.query(postpone, { runId })
      try {
        await fileMetrics(deps, objects, runId, signal)
      } catch (error) {
        if (signal.aborted) throw error
        deps.log.warn({ err: error, run: runId }, 'the metrics of a run could not be written to their file yet')
      }
    }
    return runs.length
  })
}

async function* linesOf(deps: Pick<Deps, 'db' | 'objects'>, runId: string, last: number): AsyncGenerator<Buffer> {
  for (let after = 0; after < last; ) {
    const { rows, reaches } = await readRunMetrics(deps, runId, after, last)
    if (rows.length > 0) yield Buffer.from(rows.map(({ line }) => `${line}\n`).join(''))
    after = reaches
  }
}
