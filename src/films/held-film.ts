/** The film that a worker names in its reports. */
import { isId } from '@hub/formats/ids'
import { assertNotJob } from '../auth/policy.ts'
import type { RequestContext } from '../operation/context.ts'
import { findRepoToWrite } from '../repos/get-repo.ts'
import { type EpisodeFilm, goneFilm, readFilm } from './film-rows.ts'

export interface NamedFilm {
  readonly owner: string
  readonly repo: string
  readonly filmId: string
  /** Of the claim. */
  readonly attempt: number
}

/** A film of a data set that the caller may write. Errors: 401, 403, 404. */
export async function heldFilm(
  ctx: RequestContext,
  { filmId, ...named }: Pick<NamedFilm, 'owner' | 'repo' | 'filmId'>,
  action: string,
): Promise<EpisodeFilm> {
  const repo = await findRepoToWrite(ctx, named)
  assertNotJob(ctx.viewer, action)
  const film = isId('film', filmId) && (await readFilm(ctx.deps.db, ctx.viewer, { repoId: repo.id, id: filmId }))
  if (!film) throw goneFilm({ id: filmId, repo: repo.fullName })
  return film
}
