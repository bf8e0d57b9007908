/** `/v1` routes of files. */

import { fields, path, query } from '../engine/route.ts'
import { bodyOfRepo, missingRepo, repoPath } from '../repos/repo-path.ts'
import type { TypedRoute } from '../typed-route.ts'

const MIB = 1024 * 1024

export const routes: readonly TypedRoute[] = [
  {
    operation: 'getRepoTree',
    method: 'GET',
    path: '/v1/repos/:owner/:repo/tree',
    document: 'get-repo-tree',
    params: { ...repoPath, prefix: query('prefix'), at: query('at'), limit: query('limit'), cursor: query('cursor') },
    status: 200,
    errors: [403, 404],
    result: 'page',
    missing: missingRepo,
  },
  {
    operation: 'presignUpload',
    method: 'POST',
    path: '/v1/repos/:owner/:repo/files/presign-upload',
    document: 'presign-upload',
    params: bodyOfRepo,
    status: 200,
    errors: [404],
    result: 'object',
    bodyLimitBytes: 8 * MIB,
  },
  {
    operation: 'linkFiles',
    method: 'POST',
    path: '/v1/repos/:owner/:repo/files/link',
    document: 'link-files',
    params: bodyOfRepo,
    status: 200,
    errors: [404, 412, 502],
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
    errors: [404, 412],
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
    errors: [404],
    result: 'object',
  },
  {
    operation: 'deleteFiles',
    method: 'POST',
    path: '/v1/repos/:owner/:repo/files/delete',
    document: 'delete-files',
    params: bodyOfRepo,
    status: 200,
    errors: [404],
    result: 'object',
  },
  {
    operation: 'abortUpload',
    method: 'DELETE',
    path: '/v1/repos/:owner/:repo/files/uploads/:upload_id',
    document: 'abort-upload',
    params: { input: fields({ ...repoPath, uploadId: path('upload_id') }) },
    status: 204,
    errors: [404, 409],
    result: 'empty',
  },
]
