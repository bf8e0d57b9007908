/** `/v1` routes of results of rollouts. */
import { path, query } from '../engine/route.ts'
import { bodyOfRepo, missingRepo, repoPath } from '../repos/repo-path.ts'
import type { TypedRoute } from '../typed-route.ts'

const page = { limit: query('limit'), cursor: query('cursor') } as const

export const routes: readonly TypedRoute[] = [
  {
    operation: 'listRollouts',
    method: 'GET',
    path: '/v1/repos/:owner/:repo/rollouts',
    document: 'list-rollouts',
    params: { ...repoPath, robot: query('robot'), ...page },
    status: 200,
    errors: [404],
    result: 'page',
    unwrap: 'rollouts',
    missing: missingRepo,
  },
  {
    operation: 'publishRollouts',
    method: 'PUT',
    path: '/v1/repos/:owner/:repo/rollouts',
    document: 'publish-rollouts',
    params: bodyOfRepo,
    status: 200,
    errors: [404, 409],
    result: 'object',
    unwrap: 'rollout',
  },
  {
    operation: 'listRolloutOutcomes',
    method: 'GET',
    path: '/v1/repos/:owner/:repo/rollouts/:rollout_id/outcomes',
    document: 'list-rollout-outcomes',
    params: { ...repoPath, rolloutId: path('rollout_id'), failed: query('failed'), ...page },
    status: 200,
    errors: [404],
    result: 'page',
    unwrap: 'rollout.outcomes',
    missing: 'The result :rollout_id of :owner/:repo',
  },
  {
    operation: 'listRolloutBoards',
    method: 'GET',
    path: '/v1/repos/:owner/:repo/rollout-boards',
    document: 'list-rollout-boards',
    params: { ...repoPath, ...page },
    status: 200,
    errors: [404],
    result: 'page',
    unwrap: 'rolloutBoards',
    missing: missingRepo,
  },
  {
    operation: 'getRolloutBoard',
    method: 'GET',
    path: '/v1/repos/:owner/:repo/rollout-boards/:fingerprint',
    document: 'get-rollout-board',
    params: { ...repoPath, fingerprint: path('fingerprint'), ...page },
    status: 200,
    errors: [404],
    result: 'page',
    unwrap: 'rolloutBoard',
    missing: missingRepo,
  },
]
