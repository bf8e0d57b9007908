/** Closes the file rows of a deleted repo and gives up its uploads. The owner's storage was counted back when it was deleted. */

import { forgetInStore } from '../files/abort-upload.ts'
import { discardUploads } from '../files/upload-sql.ts'
import { openStates, sqlStates } from '../files/upload-state.ts'
import type { Deps } from '../operation/context.ts'
import type { Statement } from '../store/db.ts'
import { unpinFiles } from './collect-rows.ts'

const PURGE_BATCH_ROWS = 5000

/** No later change can ever have this number, so the row was live at every moment after its first. */
const AFTER_ALL_CHANGES = 2_147_483_647

/** SKIP LOCKED: another hub at the same repo takes other rows, and a verification that holds some never waits in a circle. */
const closeBatch: Statement<{ id: number }> = {
  name: 'files-purge',
  text: `with batch as materialized (select id from files where repo_id = $1 and to_seq is null limit ${PURGE_BATCH_ROWS} for update skip locked)
    update files f set to_seq = ${AFTER_ALL_CHANGES}, closed_at = now() from batch where f.id = batch.id returning f.id`,
}

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
 * Purges one deleted repo, batch by batch, and forgets it when nothing of it is left; what is held by others right now is left to the next run.
 * A repo that was not deleted is never touched.
 */
export async function purgeRepo(deps: Deps, repoId: string, signal: AbortSignal): Promise<void> {
  const [deleted] = await deps.db.query(deletedRepo, [repoId])
  if (!deleted) return
  while ((await deps.db.query(closeBatch, [repoId])).length > 0) signal.throwIfAborted()
  await unpinFiles(deps.db, [repoId], signal)
  await giveUpUploads(deps, repoId)
  const left = [...(await deps.db.query(anyLive, [repoId])), ...(await deps.db.query(openUploads, [repoId]))]
  if (left.length === 0) await deps.db.query(forget, [repoId])
}

/** One that is being completed is left alone: its completion finds the repo gone. */
async function giveUpUploads(deps: Deps, repoId: string): Promise<void> {
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
    if (deps.objects) await forgetInStore(deps, deps.objects, gone)
  }
}

/** Whatever a crashed or skipped purge left. */
export async function purgeDeletedRepos(deps: Deps, signal: AbortSignal): Promise<void> {
  for (const { repo_id } of await deps.db.query(deletedRepos)) await purgeRepo(deps, repo_id, signal)
}
