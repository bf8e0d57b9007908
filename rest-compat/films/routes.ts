/** `/v1` routes of films of episodes. */
import { body, fields, path, query } from '../engine/route.ts'
import { bodyOfRepo, missingRepo, repoPath } from '../repos/repo-path.ts'
import type { TypedRoute } from '../typed-route.ts'

const heldFilm = { input: body({ ...repoPath, filmId: path('film_id') }) } as const

export const routes: readonly TypedRoute[] = [
  {
    operation: 'listEpisodeFilms',
    method: 'GET',
    path: '/v1/repos/:owner/:repo/episode-films',
    document: 'list-episode-films',
    params: {
      ...repoPath,
      episode: query('episode'),
      rollout: query('rollout'),
      limit: query('limit'),
      cursor: query('cursor'),
    },
    status: 200,
    errors: [404],
    result: 'page',
    unwrap: 'episodeFilms',
    missing: missingRepo,
  },
  {
    operation: 'requestEpisodeFilm',
    method: 'POST',
    path: '/v1/repos/:owner/:repo/episode-films',
    document: 'request-episode-film',
    params: bodyOfRepo,
    status: 202,
    errors: [404, 409],
    result: 'object',
    unwrap: 'film',
  },
  {
    operation: 'deleteEpisodeFilm',
    method: 'DELETE',
    path: '/v1/repos/:owner/:repo/episode-films/:film_id',
    document: 'delete-episode-film',
    params: { input: fields({ ...repoPath, filmId: path('film_id') }) },
    status: 204,
    errors: [404],
    result: 'empty',
  },
  {
    operation: 'presignEpisodeFilm',
    method: 'POST',
    path: '/v1/repos/:owner/:repo/episode-films/:film_id/upload',
    document: 'presign-episode-film',
    params: heldFilm,
    status: 200,
    errors: [404, 409],
    result: 'object',
    unwrap: 'upload',
  },
  {
    operation: 'reportEpisodeFilm',
    method: 'POST',
    path: '/v1/repos/:owner/:repo/episode-films/:film_id/report',
    document: 'report-episode-film',
    params: heldFilm,
    status: 200,
    errors: [404, 409],
    result: 'object',
    unwrap: 'film',
  },
  {
    operation: 'claimNextEpisodeFilm',
    method: 'POST',
    path: '/v1/episode-films/claim-next',
    document: 'claim-next-episode-film',
    params: { input: body() },
    status: 200,
    errors: [404],
    result: 'object',
    unwrap: 'film',
    emptyWhenNull: true,
  },
]
