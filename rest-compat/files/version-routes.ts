/** `/v1` routes of history, snapshots and states. */
import { bodyOfRepo, missingRepo, repoPath } from '../engine/repo-path.ts'
import { fields, path, query } from '../engine/route.ts'
import type { TypedRoute } from '../typed-route.ts'

const page = { limit: query('limit'), cursor: query('cursor') } as const

export const versionRoutes: readonly TypedRoute[] = [
  {
    operation: 'listRepoHistory',
    method: 'GET',
    path: '/v1/repos/:owner/:repo/history',
    document: 'list-repo-history',
    params: { ...repoPath, ...page },
    status: 200,
    result: 'page',
    unwrap: 'history',
    missing: missingRepo,
  },
  {
    operation: 'diffRepo',
    method: 'GET',
    path: '/v1/repos/:owner/:repo/diff',
    document: 'diff-repo',
    params: { ...repoPath, from: query('from'), to: query('to'), ...page },
    status: 200,
    result: 'page',
  },
  {
    operation: 'listSnapshots',
    method: 'GET',
    path: '/v1/repos/:owner/:repo/snapshots',
    document: 'list-snapshots',
    params: { ...repoPath, ...page },
    status: 200,
    result: 'page',
    unwrap: 'snapshots',
    missing: missingRepo,
  },
  {
    operation: 'createSnapshot',
    method: 'POST',
    path: '/v1/repos/:owner/:repo/snapshots',
    document: 'create-snapshot',
    params: bodyOfRepo,
    status: 201,
    result: 'object',
    unwrap: 'snapshot',
  },
  {
    operation: 'getSnapshot',
    method: 'GET',
    path: '/v1/repos/:owner/:repo/snapshots/:name',
    document: 'get-snapshot',
    params: { ...repoPath, name: path('name') },
    status: 200,
    result: 'object',
    missing: 'The snapshot :name of :owner/:repo',
  },
  {
    operation: 'deleteSnapshot',
    method: 'DELETE',
    path: '/v1/repos/:owner/:repo/snapshots/:name',
    document: 'delete-snapshot',
    params: { input: fields({ ...repoPath, name: path('name') }) },
    status: 204,
    result: 'empty',
  },
  {
    operation: 'restoreState',
    method: 'POST',
    path: '/v1/repos/:owner/:repo/restore',
    document: 'restore-state',
    params: bodyOfRepo,
    status: 200,
    result: 'object',
  },
  {
    operation: 'purgeFiles',
    method: 'POST',
    path: '/v1/repos/:owner/:repo/files/purge',
    document: 'purge-files',
    params: bodyOfRepo,
    status: 200,
    result: 'object',
  },
]
