/** Deletes a film of an episode, or cancels one that waits or is being made. Contract, "Films of episodes". */
import { isId } from '@hub/formats/ids'
import { assertNotJob, repoViewer, repoVisibleSql, visibleRepos } from '../auth/policy.ts'
import { audit } from '../operation/audit.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { AllowedContext, RequestContext } from '../operation/context.ts'
import { notFound } from '../platform/errors.ts'
import { findRepoToWrite, lockRepo, type RepoFacts } from '../repos/get-repo.ts'
import { column } from '../store/columns.ts'
import type { Tx } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import { announceLeased } from '../work/leased-row.ts'
import { releaseFilms, removedColumns } from './film-bytes.ts'
import { filmWork, goneFilm, robotOfSql } from './film-rows.ts'
import type { NamedFilm } from './held-film.ts'

const unmadeColumns = removedColumns.with({
  kind: column.enum('EpisodeFilmKind', 'f.kind'),
  episode: column.int4('coalesce(f.episode, (select k.seed from rollout_episodes k where k.id = f.kept_id))'),
  frame: column.int4('f.frame'),
  seq: column.int4('f.seq'),
  /** Null where it is hidden from the caller, or gone. */
  robot: column.text.orNull(`(select bo.handle || '/' || b.slug from repos b join accounts bo on bo.id = b.owner_id
      where b.id = ${robotOfSql('f')} and ${repoVisibleSql('b')})`),
})

/**
 * It waits for a claim, an announcement or a sweep of the row, and answers with what that left. Whether the caller sees
 * the robot does not matter: the film takes a place and bytes of the data set.
 */
const remove = statement({
  name: 'episode-film-delete',
  columns: unmadeColumns,
  params: { ...repoViewer, repoId: param.text(), id: param.text() },
  text: `delete from episode_films f where f.id = :id and f.repo_id = :repoId returning ${unmadeColumns.sql}`,
})

/**
 * Deletes a film in any state. The worker that makes it is refused from then on, since the row has gone: 404. Errors:
 * 401, 403, 404 the repo, or a film that is gone already.
 */
export function deleteEpisodeFilm(
  ctx: RequestContext,
  input: Pick<NamedFilm, 'owner' | 'repo' | 'filmId'>,
): Promise<{ id: string }> {
  return guarded(
    ctx,
    async () => {
      const repo = await findRepoToWrite(ctx, input)
      assertNotJob(ctx.viewer, 'delete a film')
      return repo
    },
    (allowed, repo) => commitVerb(allowed, (tx) => unmake(allowed, tx, repo, input.filmId)),
  )
}

async function unmake(ctx: AllowedContext, tx: Tx, facts: RepoFacts, id: string): Promise<{ id: string }> {
  // The owner is that of the lock: the repo may have moved since it was found.
  const repo = await lockRepo(tx, facts.id)
  if (!repo) throw notFound(`The repo ${facts.fullName}`)
  const asked = { ...visibleRepos(ctx.viewer), repoId: repo.id, id }
  const [removed] = isId('film', id) ? await tx.query(remove, asked) : []
  if (!removed) throw goneFilm({ id, repo: facts.fullName })
  const { kind, episode, frame, robot, seq, status, bytes } = removed
  const before = { film: id, kind, episode, frame, robot, seq, status, bytes }
  await audit(tx, ctx, { action: 'episode_film.delete', accountId: repo.ownerId, targetId: repo.id, before })
  await releaseFilms(ctx.deps, tx, repo, [removed])
  announceLeased(tx, ctx.deps.events, filmWork, { repoId: repo.id, ownerId: repo.ownerId, status: 'canceled' })
  return { id }
}
