/** The `/v1` table: one line of data an operation. What an operation does, and who may, stands in `schema/` and `src/` alone. */

import { body, document, fields, path, query, type Route } from './engine/route.ts'
import { plannerRoutes } from './planner/routes.ts'
import { runReadingRoutes } from './runs/reading-routes.ts'
import { runRoutes } from './runs/routes.ts'

const MIB = 1024 * 1024

const repoPath = { owner: path('owner'), repo: path('repo') } as const
const bodyOfRepo = { input: body(repoPath) } as const
const missing = 'The repo :owner/:repo'
const facetWords = { '1': true, true: true, tags: true, '0': false, false: false, '': false } as const

/** Spec, "Repo": present only when set. */
const onlyWhenSet = ['dataset_meta', 'model_meta', 'robot_card'] as const

const repoLocation = (repo: Readonly<Record<string, unknown>>) => ({ Location: `/v1/repos/${String(repo.full_name)}` })

export const routes: readonly Route[] = [
  { operation: 'me', method: 'GET', path: '/v1/me', document: 'me', params: {}, status: 200, result: 'object' },
  {
    operation: 'listRepos',
    method: 'GET',
    path: '/v1/repos',
    document: 'list-repos',
    params: {
      q: query('q'),
      kind: query('kind'),
      owner: query('owner'),
      tag: query('tag'),
      visibility: query('visibility'),
      sort: query('sort'),
      robot: query('robot'),
      interfaceFingerprint: query('interface_fingerprint'),
      facets: query('facets', facetWords),
      limit: query('limit'),
      cursor: query('cursor'),
    },
    status: 200,
    result: 'page',
    onlyWhenSet,
  },
  {
    operation: 'createRepo',
    method: 'POST',
    path: '/v1/repos',
    document: 'create-repo',
    params: { input: body() },
    status: 201,
    result: 'object',
    onlyWhenSet,
    headers: repoLocation,
  },
  {
    operation: 'getRepo',
    method: 'GET',
    path: '/v1/repos/:owner/:repo',
    document: 'get-repo',
    params: repoPath,
    status: 200,
    result: 'object',
    onlyWhenSet,
    missing,
  },
  {
    operation: 'updateRepo',
    method: 'PATCH',
    path: '/v1/repos/:owner/:repo',
    document: 'update-repo',
    params: bodyOfRepo,
    status: 200,
    result: 'object',
    onlyWhenSet,
  },
  {
    operation: 'deleteRepo',
    method: 'DELETE',
    path: '/v1/repos/:owner/:repo',
    document: 'delete-repo',
    params: { input: fields(repoPath) },
    status: 204,
    result: 'empty',
  },
  {
    operation: 'getRepoTree',
    method: 'GET',
    path: '/v1/repos/:owner/:repo/tree',
    document: 'get-repo-tree',
    params: { ...repoPath, prefix: query('prefix'), limit: query('limit'), cursor: query('cursor') },
    status: 200,
    result: 'page',
    missing,
  },
  {
    operation: 'presignUpload',
    method: 'POST',
    path: '/v1/repos/:owner/:repo/files/presign-upload',
    document: 'presign-upload',
    params: bodyOfRepo,
    status: 200,
    result: 'object',
    bodyLimitBytes: 8 * MIB,
  },
  {
    operation: 'completeUpload',
    method: 'POST',
    path: '/v1/repos/:owner/:repo/files/complete',
    document: 'complete-upload',
    params: bodyOfRepo,
    status: 200,
    result: 'object',
    bodyLimitBytes: 8 * MIB,
  },
  {
    operation: 'presignDownload',
    method: 'POST',
    path: '/v1/repos/:owner/:repo/files/presign-download',
    document: 'presign-download',
    params: bodyOfRepo,
    status: 200,
    result: 'object',
  },
  {
    operation: 'deleteFiles',
    method: 'POST',
    path: '/v1/repos/:owner/:repo/files/delete',
    document: 'delete-files',
    params: bodyOfRepo,
    status: 200,
    result: 'object',
  },
  {
    operation: 'abortUpload',
    method: 'DELETE',
    path: '/v1/repos/:owner/:repo/files/uploads/:upload_id',
    document: 'abort-upload',
    params: { input: fields({ ...repoPath, uploadId: path('upload_id') }) },
    status: 204,
    result: 'empty',
  },
  {
    operation: 'putModelMeta',
    method: 'PUT',
    path: '/v1/models/:owner/:repo/meta',
    document: 'put-model-meta',
    params: bodyOfRepo,
    status: 200,
    result: 'object',
    onlyWhenSet,
  },
  {
    operation: 'putDatasetMeta',
    method: 'PUT',
    path: '/v1/datasets/:owner/:repo/meta',
    document: 'put-dataset-meta',
    params: bodyOfRepo,
    status: 200,
    result: 'object',
    onlyWhenSet,
  },
  {
    operation: 'getRobotCard',
    method: 'GET',
    path: '/v1/robots/:owner/:repo/card',
    document: 'get-robot-card',
    params: repoPath,
    status: 200,
    result: 'object',
    missing: 'The robot card of :owner/:repo',
  },
  {
    operation: 'putRobotCard',
    method: 'PUT',
    path: '/v1/robots/:owner/:repo/card',
    document: 'put-robot-card',
    params: { input: document({ field: 'document' }, repoPath) },
    status: 200,
    result: 'object',
  },
  {
    operation: 'validateRobotCard',
    method: 'POST',
    path: '/v1/robots/:owner/:repo/validate',
    document: 'validate-robot-card',
    params: { input: document({ field: 'document', member: 'card' }, repoPath) },
    status: 200,
    result: 'object',
  },
  ...plannerRoutes,
  ...runRoutes,
  ...runReadingRoutes,
]

/** Operations of the spec that answer with a stream: no documents, mounted by the server. */
export const streamed: readonly string[] = ['streamRunLogs', 'downloadRunLog']

/** Operations of the spec that have no route yet, by name: the test that walks the spec holds this list to exactly those. */
export const pending: readonly string[] = [
  'listRobotChecks',
  'createRobotCheck',
  'getRobotCheck',
  'claimRobotCheck',
  'claimNextRobotCheck',
  'presignRobotCheckArtifacts',
  'reportRobotCheck',
  'publishRobotCheck',
  'cancelRobotCheck',
  'listEndpoints',
  'createEndpoint',
  'estimateEndpoint',
  'getEndpoint',
  'stopEndpoint',
  'claimEndpoint',
  'reportEndpoint',
  'listEndpointSessions',
  'openEndpointSession',
  'reportEndpointSession',
  'listSpendHolds',
  'getSpendHold',
  'approveSpendHold',
  'denySpendHold',
  'cancelSpendHold',
]
