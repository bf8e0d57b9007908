/** `/v1` routes of the checks of data sets. */
import { body, fields } from '../engine/route.ts'
import { bodyOfRepo, missingRepo, repoPath } from '../repos/repo-path.ts'
import type { TypedRoute } from '../typed-route.ts'

export const routes: readonly TypedRoute[] = [
  {
    operation: 'getDatasetCheck',
    method: 'GET',
    path: '/v1/repos/:owner/:repo/dataset-check',
    document: 'get-dataset-check',
    params: repoPath,
    status: 200,
    errors: [404],
    result: 'object',
    unwrap: 'datasetCheck',
    missing: `${missingRepo}, or a check of it,`,
  },
  {
    operation: 'requestDatasetCheck',
    method: 'POST',
    path: '/v1/repos/:owner/:repo/dataset-check',
    document: 'request-dataset-check',
    params: { input: fields(repoPath) },
    status: 202,
    errors: [404, 409],
    result: 'object',
    unwrap: 'check',
  },
  {
    operation: 'reportDatasetCheck',
    method: 'POST',
    path: '/v1/repos/:owner/:repo/dataset-check/report',
    document: 'report-dataset-check',
    params: bodyOfRepo,
    status: 200,
    errors: [404, 409],
    result: 'object',
    unwrap: 'check',
    bodyLimitBytes: 2 * 1024 * 1024,
  },
  {
    operation: 'claimNextDatasetCheck',
    method: 'POST',
    path: '/v1/dataset-checks/claim-next',
    document: 'claim-next-dataset-check',
    params: { input: body() },
    status: 200,
    errors: [404],
    result: 'object',
    unwrap: 'check',
    emptyWhenNull: true,
  },
]
