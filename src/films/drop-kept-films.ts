/**
 * Films of kept episodes whose result is gone. No one sees them from then on; collection gives their bytes back, and
 * only then are the episodes dropped.
 */
import type { Deps } from '../operation/context.ts'
import { lockRepo } from '../repos/get-repo.ts'
import { column, columns } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'
import { releaseFilms, removedColumns } from './film-bytes.ts'

/** Repos of one pass. */
const BATCH = 500

const repoColumn = columns({ repoId: column.text('f.repo_id') })

const reposWithGone = statement({
  name: 'episode-films-gone',
  exact: 'next-batch',
  columns: repoColumn,
  text: `select distinct ${repoColumn.sql} from rollout_episodes k join episode_films f on f.kept_id = any(array[k.id])
    where k.rollout_id is null limit ${BATCH}`,
})

const removeGone = statement({
  name: 'episode-films-drop-gone',
  columns: removedColumns,
  params: { repoId: param.text() },
  text: `delete from episode_films f using rollout_episodes k
    where f.repo_id = :repoId and k.id = f.kept_id and k.rollout_id is null returning ${removedColumns.sql}`,
})

/** One transaction for each model. Lock order: repo, films, account. Idempotent. */
export async function dropKeptFilms(
  deps: Pick<Deps, 'config' | 'db' | 'objects' | 'log' | 'events'>,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const repos = await deps.db.query(reposWithGone)
    for (const { repoId } of repos) {
      signal.throwIfAborted()
      await deps.db.withTx(async (tx) => {
        const repo = await lockRepo(tx, repoId)
        if (!repo) return
        await releaseFilms(deps, tx, repo, await tx.query(removeGone, { repoId }))
        tx.afterCommit(() => deps.events.hint(repoId))
      })
    }
    if (repos.length < BATCH) return
  }
}
