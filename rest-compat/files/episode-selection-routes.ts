/** `/v1` routes of selections of episodes. */
import { query } from '../engine/route.ts'
import { bodyOfRepo, missingRepo, repoPath } from '../repos/repo-path.ts'
import type { TypedRoute } from '../typed-route.ts'

export const routes: readonly TypedRoute[] = [
  {
    operation: 'listEpisodeSelections',
    method: 'GET',
    path: '/v1/repos/:owner/:repo/episode-selections',
    document: 'list-episode-selections',
    params: { ...repoPath, name: query('name'), limit: query('limit'), cursor: query('cursor') },
    status: 200,
    errors: [404],
    result: 'page',
    unwrap: 'episodeSelections',
    missing: missingRepo,
  },
  {
    operation: 'createEpisodeSelection',
    method: 'POST',
    path: '/v1/repos/:owner/:repo/episode-selections',
    document: 'create-episode-selection',
    params: bodyOfRepo,
    status: 201,
    errors: [404, 409],
    result: 'object',
    unwrap: 'selection',
  },
]
