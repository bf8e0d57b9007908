/** `/v1` routes of maps of joints, and of what fits which robot. */
import { query } from '../engine/route.ts'
import { bodyOfRepo, missingRepo, repoPath } from '../repos/repo-path.ts'
import type { TypedRoute } from '../typed-route.ts'

export const routes: readonly TypedRoute[] = [
  {
    operation: 'listFits',
    method: 'GET',
    path: '/v1/repos/:owner/:repo/fits',
    document: 'list-fits',
    params: {
      ...repoPath,
      kind: query('kind'),
      near: query('near'),
      limit: query('limit'),
      cursor: query('cursor'),
    },
    status: 200,
    errors: [404],
    result: 'page',
    unwrap: 'fits',
    missing: missingRepo,
  },
  {
    operation: 'listJointMaps',
    method: 'GET',
    path: '/v1/repos/:owner/:repo/joint-maps',
    document: 'list-joint-maps',
    params: { ...repoPath, robot: query('robot'), limit: query('limit'), cursor: query('cursor') },
    status: 200,
    errors: [404],
    result: 'page',
    unwrap: 'jointMaps',
    missing: missingRepo,
  },
  {
    operation: 'putJointMap',
    method: 'PUT',
    path: '/v1/repos/:owner/:repo/joint-maps',
    document: 'put-joint-map',
    params: bodyOfRepo,
    status: 200,
    errors: [404, 409],
    result: 'object',
    unwrap: 'jointMap',
  },
  {
    operation: 'reviewJointMap',
    method: 'POST',
    path: '/v1/repos/:owner/:repo/joint-maps/review',
    document: 'review-joint-map',
    params: bodyOfRepo,
    status: 200,
    errors: [404, 409],
    result: 'object',
    unwrap: 'jointMap',
  },
]
