/** Closes the file rows of a deleted repo, drops its history and aborts its uploads. The owner's storage was released on deletion. */

import { removeFromStore } from '../files/abort-upload.ts'
import { discardUploads } from '../files/upload-sql.ts'
import { openStates, sqlStates } from '../files/upload-state.ts'
import type { Deps } from '../operation/context.ts'
import type { Statement } from '../store/db.ts'
import { unpinFiles } from './collect-rows.ts'

const PURGE_BATCH_ROWS = 5000

/** No change can reach this number, so the row counts as part of every state after its first change. */
const AFTER_ALL_CHANGES = 2_147_483_647

/** SKIP LOCKED: another hub on the same repo takes other rows, and no deadlock with a verification is possible. */
const closeBatch: Statement<{ id: number }> = {
  name: 'files-purge',
  text: `with batch as materialized (select id from files where repo_id = $1 and to_seq is null limit ${PURGE_BATCH_ROWS} for update skip locked)
    update files f set to_seq = ${AFTER_ALL_CHANGES}, closed_at = now() from batch where f.id = batch.id returning f.id`,
}

/** Deletes the repo's states, and its records of withdrawn files. */
const dropVersions: readonly Statement<{ repo_id: string }>[] = [
  {
    name: 'repo-changes-purge',
    text: `delete from repo_changes where repo_id = $1
      and seq in (select seq from repo_changes where repo_id = $1 order by seq limit ${PURGE_BATCH_ROWS}) returning repo_id`,
  },
  {
    name: 'withdrawn-files-purge',
    text: `delete from withdrawn_files where repo_id = $1
      and id in (select id from withdrawn_files where repo_id = $1 limit ${PURGE_BATCH_ROWS}) returning repo_id`,
  },
]

const anyLive: Statement<{ repo_id: string }> = {
  name: 'files-purge-left',
  text: 'select repo_id from files where repo_id = $1 and to_seq is null limit 1',
}

const openUploads: Statement<{ id: string }> = {
  name: 'uploads-purge',
  text: `select id from uploads where repo_id = $1 and state in (${sqlStates(openStates)}) order by id limit 500`,
}

const forget: Statement<never> = { name: 'deleted-repo-forget', text: 'delete from deleted_repos where repo_id = $1' }

const deletedRepo: Statement<{ repo_id: string }> = {
  name: 'deleted-repo',
  text: 'select repo_id from deleted_repos where repo_id = $1',
}

const deletedRepos: Statement<{ repo_id: string }> = {
  name: 'deleted-repos',
  text: 'select repo_id from deleted_repos order by deleted_at limit 100',
}

/**
 * Purges one deleted repo in batches, and removes its marker when nothing is left; locked rows are left to the next run. Never touches a repo that
 * was not deleted.
 */
export async function purgeRepo(deps: Deps, repoId: string, signal: AbortSignal): Promise<void> {
  const [deleted] = await deps.db.query(deletedRepo, [repoId])
  if (!deleted) return
  while ((await deps.db.query(closeBatch, [repoId])).length > 0) signal.throwIfAborted()
  for (const statement of dropVersions) {
    while ((await deps.db.query(statement, [repoId])).length === PURGE_BATCH_ROWS) signal.throwIfAborted()
  }
  await unpinFiles(deps.db, [repoId], signal)
  await abortUploads(deps, repoId)
  const left = [...(await deps.db.query(anyLive, [repoId])), ...(await deps.db.query(openUploads, [repoId]))]
  if (left.length === 0) await deps.db.query(forget, [repoId])
}

/** Skips an upload that is being completed: its completion finds the repo deleted. */
async function abortUploads(deps: Deps, repoId: string): Promise<void> {
  for (;;) {
    const rows = await deps.db.query(openUploads, [repoId])
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

/** Repeats crashed or skipped purges. */
export async function purgeDeletedRepos(deps: Deps, signal: AbortSignal): Promise<void> {
  for (const { repo_id } of await deps.db.query(deletedRepos)) await purgeRepo(deps, repo_id, signal)
}
