/** The rows of the `/v1` table on robot checks and model checks. */
import { body, path, query } from '../engine/route.ts'
import type { TypedRoute } from '../typed-route.ts'

export const checkRoutes: readonly TypedRoute[] = [
  {
    operation: 'createRobotCheck',
    method: 'POST',
    path: '/v1/robot-checks',
    document: 'create-robot-check',
    params: { input: body() },
    status: 201,
    result: 'object',
    unwrap: 'result',
    headers: ({ id }) => ({ Location: `/v1/robot-checks/${id}` }),
  },
  {
    operation: 'listRobotChecks',
    method: 'GET',
    path: '/v1/robot-checks',
    document: 'list-robot-checks',
    params: {
      robotRepo: query('robot_repo'),
      status: query('status'),
      executor: query('executor'),
      limit: query('limit'),
      cursor: query('cursor'),
    },
    status: 200,
    result: 'page',
  },
  {
    operation: 'getRobotCheck',
    method: 'GET',
    path: '/v1/robot-checks/:check_id',
    document: 'get-robot-check',
    params: { check: path('check_id') },
    status: 200,
    result: 'object',
    missing: 'The check :check_id',
  },
]
