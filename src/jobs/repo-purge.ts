/**
 * Closes the file rows of a deleted repo, drops its history and aborts its uploads. The owner's storage was released on
 * deletion.
 */

import { removeFromStore } from '../files/abort-upload.ts'
import { discardUploads } from '../files/upload-sql.ts'
import { openStates, sqlStates } from '../files/upload-state.ts'
import type { Deps } from '../operation/context.ts'
import { column, columns } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'
import { inBatches, type Turn, turnOf, wholeWork } from './batches.ts'
import { unpinFiles } from './collect-rows.ts'

const PURGE_BATCH_ROWS = 5000

/** No change can reach this number, so the row counts as part of every state after its first change. */
const AFTER_ALL_CHANGES = 2_147_483_647

const idColumn = columns({ id: column.int8('f.id') })

/** SKIP LOCKED: another hub on the same repo takes other rows, and no deadlock with a verification is possible. */
const closeBatch = statement({
  name: 'files-purge',
  columns: idColumn,
  params: { repoId: param.text() },
  text: `with batch as materialized (select id from files where repo_id = :repoId and to_seq is null limit ${PURGE_BATCH_ROWS} for update skip locked)
    update files f set to_seq = ${AFTER_ALL_CHANGES}, closed_at = now() from batch where f.id = batch.id returning ${idColumn.sql}`,
})

const repoIdColumn = columns({ repoId: column.text('repo_id') })

/** Deletes the repo's states, and its records of withdrawn files. */
const dropVersions = [
  statement({
    name: 'repo-changes-purge',
    columns: repoIdColumn,
    params: { repoId: param.text() },
    text: `delete from repo_changes where repo_id = :repoId
      and seq in (select seq from repo_changes where repo_id = :repoId order by seq limit ${PURGE_BATCH_ROWS}) returning ${repoIdColumn.sql}`,
  }),
  statement({
    name: 'withdrawn-files-purge',
    columns: repoIdColumn,
    params: { repoId: param.text() },
    text: `delete from withdrawn_files where repo_id = :repoId
      and id in (select id from withdrawn_files where repo_id = :repoId limit ${PURGE_BATCH_ROWS}) returning ${repoIdColumn.sql}`,
  }),
]

const anyLive = statement({
  name: 'files-purge-left',
  exact: 'next-batch',
  columns: repoIdColumn,
  params: { repoId: param.text() },
  text: `select ${repoIdColumn.sql} from files where repo_id = :repoId and to_seq is null limit 1`,
})

const openUploadsColumn = columns({ id: column.text('id') })

const openUploads = statement({
  name: 'uploads-purge',
  exact: 'next-batch',
  columns: openUploadsColumn,
  params: { repoId: param.text() },
  text: `select ${openUploadsColumn.sql} from uploads where repo_id = :repoId and state in (${sqlStates(openStates)}) order by id limit 500`,
})

const forget = statement({
  name: 'deleted-repo-forget',
  params: { repoId: param.text() },
  text: 'delete from deleted_repos where repo_id = :repoId',
})

const deletedRepo = statement({
  name: 'deleted-repo',
  exact: 'next-batch',
  columns: repoIdColumn,
  params: { repoId: param.text() },
  text: `select ${repoIdColumn.sql} from deleted_repos where repo_id = :repoId`,
})

const deletedRepos = statement({
  name: 'deleted-repos',
  exact: 'next-batch',
  columns: repoIdColumn,
  text: `select ${repoIdColumn.sql} from deleted_repos order by deleted_at limit 100`,
})

/**
 * Purges one deleted repo in batches, and removes its marker when nothing is left; locked rows are left to the next
 * run. Never touches a repo that was not deleted.
 */
export function purgeRepo(deps: Deps, repoId: string, signal: AbortSignal): Promise<void> {
  return purgeSome(deps, repoId, wholeWork(signal))
}

async function purgeSome(deps: Deps, repoId: string, turn: Turn): Promise<void> {
  const { signal } = turn
  const [deleted] = await deps.db.query(deletedRepo, { repoId })
  if (!deleted) return
  // A batch of live files is short while another hub has some of them locked: until one finds none.
  const batches: [number, () => Promise<unknown[]>][] = [
    [1, () => deps.db.query(closeBatch, { repoId })],
    ...dropVersions.map((drop): [number, () => Promise<unknown[]>] => [
      PURGE_BATCH_ROWS,
      () => deps.db.query(drop, { repoId }),
    ]),
  ]
  for (const [rows, batch] of batches) {
    if (!(await inBatches(turn, rows, async () => (await batch()).length))) return
  }
  await unpinFiles(deps.db, [repoId], signal)
  await abortUploads(deps, repoId)
  const left = [...(await deps.db.query(anyLive, { repoId })), ...(await deps.db.query(openUploads, { repoId }))]
  if (left.length === 0) await deps.db.query(forget, { repoId })
}

/** Skips an upload that is being completed: its completion finds the repo deleted. */
async function abortUploads(deps: Deps, repoId: string): Promise<void> {
  for (;;) {
    const rows = await deps.db.query(openUploads, { repoId })
    if (rows.length === 0) return
    const gone = await deps.db.withTx((tx) =>
      discardUploads(
        tx,
        rows.map((row) => row.id),
      ),
    )
    if (gone.length === 0) return
    if (deps.objects) await removeFromStore(deps, deps.objects, gone)
  }
}

/** Repeats crashed or skipped purges, or some of them until the next minute. */
export async function purgeDeletedRepos(deps: Deps, signal: AbortSignal, turnMs?: number): Promise<void> {
  const turn = turnOf(signal, turnMs)
  for (const { repoId } of await deps.db.query(deletedRepos)) {
    await purgeSome(deps, repoId, turn)
    if (turn.isOver()) return
  }
}
