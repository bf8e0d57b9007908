/** `/v1` routes of the labels of episodes. */

import { query } from '../engine/route.ts'
import { bodyOfRepo, missingRepo, repoPath } from '../repos/repo-path.ts'
import type { TypedRoute } from '../typed-route.ts'

const page = { limit: query('limit'), cursor: query('cursor') } as const

/** Listing, saying and undoing. */
export const routes: readonly TypedRoute[] = [
  {
    operation: 'listEpisodeLabels',
    method: 'GET',
    path: '/v1/repos/:owner/:repo/episode-labels',
    document: 'list-episode-labels',
    params: { ...repoPath, ...page },
    status: 200,
    errors: [404],
    result: 'page',
    unwrap: 'episodeLabels',
    missing: missingRepo,
  },
  {
    operation: 'listEpisodeLabelHistory',
    method: 'GET',
    path: '/v1/repos/:owner/:repo/episode-labels/history',
    document: 'list-episode-label-history',
    params: { ...repoPath, ...page },
    status: 200,
    errors: [404],
    result: 'page',
    unwrap: 'episodeLabelHistory',
    missing: missingRepo,
  },
  {
    operation: 'labelEpisodes',
    method: 'POST',
    path: '/v1/repos/:owner/:repo/episode-labels',
    document: 'label-episodes',
    params: bodyOfRepo,
    status: 200,
    errors: [404],
    result: 'object',
  },
  {
    operation: 'undoEpisodeLabels',
    method: 'POST',
    path: '/v1/repos/:owner/:repo/episode-labels/undo',
    document: 'undo-episode-labels',
    params: bodyOfRepo,
    status: 200,
    errors: [404, 412],
    result: 'object',
  },
]
