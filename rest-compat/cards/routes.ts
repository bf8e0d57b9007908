/** `/v1` routes of robot cards. */

import { document } from '../engine/route.ts'
import { repoPath } from '../repos/repo-path.ts'
import type { TypedRoute } from '../typed-route.ts'

export const routes: readonly TypedRoute[] = [
  {
    operation: 'getRobotCard',
    method: 'GET',
    path: '/v1/robots/:owner/:repo/card',
    document: 'get-robot-card',
    params: repoPath,
    status: 200,
    errors: [404, 409],
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
    errors: [404, 409, 502],
    result: 'object',
    unwrap: 'card',
  },
  {
    operation: 'validateRobotCard',
    method: 'POST',
    path: '/v1/robots/:owner/:repo/validate',
    document: 'validate-robot-card',
    params: { input: document({ field: 'document', member: 'card' }, repoPath) },
    status: 200,
    errors: [404, 502],
    result: 'object',
  },
]
