/** Purges a deleted run: its metrics, log and media, its objects and its pins. */

import type { Deps } from '../operation/context.ts'
import { runPrefix } from '../runs/log/run-objects.ts'
import { type Columns, column, columns } from '../store/columns.ts'
import { areDeletionsHeld } from '../store/deletion-hold.ts'
import type { ObjectStore } from '../store/objects/object-store.ts'
import { texts } from '../store/read-json.ts'
import { param, statement } from '../store/statement.ts'
import { inBatches, type Turn, turnOf, wholeWork } from './batches.ts'
import { unpinFiles } from './collect-rows.ts'

const PURGE_BATCH_ROWS = 5000
const OBJECT_BATCH = 500

const repoIdsColumn = columns({ repoIds: column.json('to_json(repo_ids)', texts) })

const uncleared = statement({
  name: 'deleted-run',
  exact: 'next-batch',
  columns: repoIdsColumn,
  params: { runId: param.text() },
  text: `select ${repoIdsColumn.sql} from deleted_runs where run_id = :runId and cleared_at is null`,
})

const dropRows = (table: 'run_metrics' | 'run_log_chunks', seqColumn: Columns<{ readonly seq: number }>) =>
  statement({
    name: `deleted-run-${table.replaceAll('_', '-')}`,
    columns: seqColumn,
    params: { runId: param.text() },
    text: `delete from ${table} where run_id = :runId
    and seq in (select seq from ${table} where run_id = :runId order by seq limit ${PURGE_BATCH_ROWS}) returning ${seqColumn.sql}`,
  })
const mediaPlace = columns({ seq: column.int8('step') })
const dropMediaRows = statement({
  name: 'deleted-run-media',
  columns: mediaPlace,
  params: { runId: param.text() },
  text: `delete from run_media where run_id = :runId and (key, step, index) in (select key, step, index from run_media
    where run_id = :runId order by key, step, index limit ${PURGE_BATCH_ROWS}) returning ${mediaPlace.sql}`,
})
const dropMetrics = dropRows('run_metrics', columns({ seq: column.int8('seq') }))
const rowsOf = [dropMetrics, dropRows('run_log_chunks', columns({ seq: column.int4('seq') })), dropMediaRows]

/** Deletes the metrics rows of a run that needs none, in batches; idempotent. */
export async function dropMetricRows({ db }: Pick<Deps, 'db'>, runId: string, signal: AbortSignal): Promise<void> {
  await inBatches(wholeWork(signal), PURGE_BATCH_ROWS, async () => (await db.query(dropMetrics, { runId })).length)
}

const clear = statement({
  name: 'deleted-run-cleared',
  params: { runId: param.text() },
  text: 'update deleted_runs set cleared_at = now() where run_id = :runId',
})

const runIdColumn = columns({ runId: column.text('run_id') })

const allUncleared = statement({
  name: 'deleted-runs',
  exact: 'next-batch',
  columns: runIdColumn,
  text: `select ${runIdColumn.sql} from deleted_runs where cleared_at is null order by deleted_at limit 100`,
})

/** Purges one deleted run in batches; idempotent. Never touches a run that was not deleted. */
export function purgeRun(deps: Deps, runId: string, signal: AbortSignal): Promise<void> {
  return purgeSome(deps, runId, wholeWork(signal))
}

async function purgeSome(deps: Deps, runId: string, turn: Turn): Promise<void> {
  const { signal } = turn
  const [deleted] = await deps.db.query(uncleared, { runId })
  if (!deleted) return
  for (const statement of rowsOf) {
    const areGone = await inBatches(
      turn,
      PURGE_BATCH_ROWS,
      async () => (await deps.db.query(statement, { runId })).length,
    )
    if (!areGone) return
  }
  // The row stays, so that a later collection purges the rest.
  if (await areDeletionsHeld(deps.db)) return
  if (deps.objects) await deleteObjects(deps.objects, runId, signal)
  await unpinFiles(deps.db, deleted.repoIds, signal)
  await deps.db.query(clear, { runId })
}

/**
 * A metrics file in progress is deleted by its writer. What else is written later is left for the collection of run
 * objects.
 */
async function deleteObjects(objects: ObjectStore, runId: string, signal: AbortSignal): Promise<void> {
  let batch: string[] = []
  for await (const { key } of objects.list(runPrefix(runId), signal)) {
    batch.push(key)
    if (batch.length < OBJECT_BATCH) continue
    await objects.delete(batch, signal)
    batch = []
  }
  if (batch.length > 0) await objects.delete(batch, signal)
}

/** Repeats crashed or skipped purges, or some of them until the next minute. */
export async function purgeDeletedRuns(deps: Deps, signal: AbortSignal, turnMs?: number): Promise<void> {
  const turn = turnOf(signal, turnMs)
  for (const { runId } of await deps.db.query(allUncleared)) {
    await purgeSome(deps, runId, turn)
    if (turn.isOver()) return
  }
}
