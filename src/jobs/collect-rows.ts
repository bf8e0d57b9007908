/**
 * Collection in the database: closed file rows past their grace period are pruned, and unreferenced blobs are doomed.
 */
import type { Deps } from '../operation/context.ts'
import { column, columns } from '../store/columns.ts'
import type { Db, Tx } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import { inBatches, turnOf, wholeWork } from './batches.ts'

const PRUNE_BATCH_ROWS = 1000

const idColumn = columns({ id: column.int8('f.id') })

const dueRows = statement({
  name: 'files-closed',
  exact: 'next-batch',
  columns: idColumn,
  params: { graceSeconds: param.float8() },
  text: `select ${idColumn.sql} from files f where f.closed_at is not null and not f.pinned and f.closed_at <= now() - make_interval(secs => :graceSeconds)
    order by f.closed_at limit ${PRUNE_BATCH_ROWS}`,
})

const inRange = 'c.repo_id = f.repo_id and c.seq >= f.from_seq and c.seq < f.to_seq'

const seqColumn = columns({ seq: column.int4('l.seq') })

/**
 * Locks the states that have these rows. Creating a snapshot shares the lock of its state until the commit, so none is
 * created before `judgeRows`.
 */
const lockStates = statement({
  name: 'repo-changes-lock',
  columns: seqColumn,
  params: { ids: param.int8s() },
  // By equality on the key: a range alone would be looked for in all states of the hub.
  text: `select ${seqColumn.sql} from repo_changes l where (l.repo_id, l.seq) in (
      select c.repo_id, c.seq from files f join repo_changes c on ${inRange} where f.id = any(:ids::bigint[]))
    order by l.repo_id, l.seq for update`,
})

const judgeRowsColumns = columns({
  id: column.int8('f.id'),
  blobId: column.text('f.blob_id'),
  pinned: column.bool(
    `exists (select 1 from run_datasets d where d.repo_id = f.repo_id and d.seq >= f.from_seq and d.seq < f.to_seq) or exists (select 1 from robot_checks c where c.source_repo_id = f.repo_id and c.source_seq >= f.from_seq and c.source_seq < f.to_seq and c.published_at is null and c.status in ('queued', 'running', 'succeeded')) or exists (select 1 from repo_snapshots s where s.repo_id = f.repo_id and s.seq >= f.from_seq and s.seq < f.to_seq)`,
  ),
})

/**
 * `pinned`: a state that has the row is used by a run as dataset, by a check that may still read or publish it, or by a
 * snapshot. Runs and checks read the repo's `seq` under a lock that excludes changes of its files, so a row is still
 * live when a pin of it commits. Closed rows that no run or check pins here are therefore never pinned by one later.
 */
const judgeRows = statement({
  name: 'files-judge',
  exact: 'in-transaction',
  columns: judgeRowsColumns,
  params: { ids: param.int8s() },
  text: `select ${judgeRowsColumns.sql}
    from files f where f.id = any(:ids::bigint[])`,
})

/**
 * A state that loses a file is deleted, so that a reader of a state finds either its row and all of its files, or no
 * row.
 */
const dropStates = statement({
  name: 'repo-changes-drop',
  params: { ids: param.int8s() },
  text: `delete from repo_changes c using files f where f.id = any(:ids::bigint[]) and ${inRange}`,
})

/**
 * A pinned row is checked once; when a pinning run, check or snapshot is gone, `unpinFiles` schedules another check.
 */
const keepPinned = statement({
  name: 'files-keep-pinned',
  params: { ids: param.int8s() },
  text: 'update files set pinned = true where id = any(:ids::bigint[])',
})

/**
 * Advisory lock, shared by batches and exclusive for unpinning: without it, a batch could mark a row as pinned after
 * unpinning has checked it.
 */
const PIN_LOCK = 7_113_021_401
const pinning = statement({ name: 'files-pin-lock', text: `select pg_advisory_xact_lock_shared(${PIN_LOCK})` })
const unpinning = statement({ name: 'files-unpin-lock', text: `select pg_advisory_xact_lock(${PIN_LOCK})` })

const unpin = statement({
  name: 'files-unpin',
  columns: idColumn,
  params: { repoIds: param.texts() },
  text: `with batch as materialized (select id from files where repo_id = any(:repoIds::text[]) and pinned limit ${PRUNE_BATCH_ROWS} for update)
    update files f set pinned = false from batch where f.id = batch.id returning ${idColumn.sql}`,
})

/**
 * Unmarks the pinned rows of these repos, so that collection checks them once more. Called when a run, check or
 * snapshot that pins them is gone.
 */
export async function unpinFiles(db: Db, repoIds: readonly string[], signal: AbortSignal): Promise<void> {
  if (repoIds.length === 0) return
  await inBatches(wholeWork(signal), PRUNE_BATCH_ROWS, () =>
    db.withTx(async (tx) => {
      await tx.query(unpinning)
      return (await tx.query(unpin, { repoIds })).length
    }),
  )
}

const lockBlobsColumn = columns({ id: column.text('id') })

export const lockBlobs = statement({
  name: 'blobs-lock',
  columns: lockBlobsColumn,
  params: { blobIds: param.texts() },
  text: `select ${lockBlobsColumn.sql} from blobs where id = any(:blobIds::text[]) order by id for update`,
})

const prune = statement({
  name: 'files-prune',
  params: { ids: param.int8s() },
  text: 'delete from files where id = any(:ids::bigint[]) and to_seq is not null',
})

const doomUnreferencedColumn = columns({ id: column.text('b.id') })

export const doomUnreferenced = statement({
  name: 'blobs-doom-unreferenced',
  columns: doomUnreferencedColumn,
  params: { blobIds: param.texts() },
  text: `update blobs b set state = 'doomed', doomed_at = now()
    where b.id = any(:blobIds::text[]) and b.state = 'live' and not exists (select 1 from files f
      where f.blob_id = b.id) and not exists (select 1 from rollout_episodes e where e.blob_id = b.id)
    returning ${doomUnreferencedColumn.sql}`,
})

/**
 * Prunes one batch and the states that had its rows, and dooms blobs that lost their last row. Returns the number of
 * rows due.
 *
 * A completion may link the same blob at the same time; it shares the blob's row lock until it has committed its file
 * row. The lock is a separate statement because READ COMMITTED takes a snapshot for each statement: the check "does any
 * row refer to the blob" needs a snapshot taken while the lock is held. In a single statement the snapshot would be
 * older than the lock, and would miss the new row. Blobs are locked before file rows, as everywhere.
 */
export async function pruneBatch(tx: Tx, graceSeconds: number): Promise<number> {
  await tx.query(pinning)
  const found = (await tx.query(dueRows, { graceSeconds })).map((row) => row.id)
  if (found.length === 0) return 0
  await tx.query(lockStates, { ids: found })
  const due = await tx.query(judgeRows, { ids: found })
  const rows = due.filter((row) => !row.pinned)
  if (rows.length < due.length)
    await tx.query(keepPinned, { ids: due.filter((row) => row.pinned).map((row) => row.id) })
  if (rows.length === 0) return found.length
  const ids = rows.map((row) => row.id)
  await tx.query(dropStates, { ids })
  const blobIds = [...new Set(rows.map((row) => row.blobId))]
  await tx.query(lockBlobs, { blobIds })
  await tx.query(prune, { ids })
  await tx.query(doomUnreferenced, { blobIds })
  return found.length
}

/** Runs batches until nothing is due, or until the next minute. */
export async function pruneClosedRows(deps: Deps, signal: AbortSignal): Promise<void> {
  await inBatches(turnOf(signal), PRUNE_BATCH_ROWS, () =>
    deps.db.withTx((tx) => pruneBatch(tx, deps.config.gcGraceSeconds)),
  )
}
