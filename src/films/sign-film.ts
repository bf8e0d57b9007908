/** The bytes of films, for pages, for programs that unfold links, and as files. */
import { isId } from '@hub/formats/ids'
import type { RequestContext } from '../operation/context.ts'
import { findRepo } from '../repos/get-repo.ts'
import { requireObjects } from '../store/objects/required.ts'
import { filmObjects } from './film-objects.ts'
import { type EpisodeFilm, goneFilm, readFilm } from './film-rows.ts'

/** As of artifacts. */
const TTL_SECONDS = 3600

/**
 * A URL for an hour; null while there is nothing to show, where the robot is hidden from the caller, and where the hub
 * has no object store. No network call.
 */
export async function signFilm(
  { deps }: Pick<RequestContext, 'deps'>,
  { status, storageKey, kind, repo, robot, episode, frame, rolloutId }: EpisodeFilm,
): Promise<string | null> {
  if (status !== 'succeeded' || storageKey === null || robot === null || deps.objects === null) return null
  const { contentType, extension } = filmObjects[kind]
  const name = `${repo.replace('/', '-')}-${rolloutId === null ? 'episode' : 'seed'}-${episode}${kind === 'still' ? `-frame-${frame}` : ''}.${extension}`
  return deps.objects.signGet(storageKey, { ttlSeconds: TTL_SECONDS, downloadName: name, contentType })
}

export interface FilmFile {
  /** The verified SHA-256, which is the ETag. */
  readonly sha256: string
  readonly url: string
}

/** What a stable address of a film leads to. Errors: 404 the repo, or a film that is hidden or not there yet, 503. */
export async function filmFile(
  ctx: RequestContext,
  { owner, repo: slug, filmId }: { readonly owner: string; readonly repo: string; readonly filmId: string },
): Promise<FilmFile> {
  const repo = await findRepo(ctx, { owner, slug })
  requireObjects(ctx.deps)
  const film = isId('film', filmId) && (await readFilm(ctx.deps.db, ctx.viewer, { repoId: repo.id, id: filmId }))
  const url = film && (await signFilm(ctx, film))
  if (!film || !url || film.sha256 === null) throw goneFilm({ id: filmId, repo: repo.fullName })
  return { sha256: film.sha256, url }
}
