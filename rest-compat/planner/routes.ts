/** The rows of the `/v1` table on what is known of a run before it is made. */
import { body } from '../engine/route.ts'
import type { TypedRoute } from '../typed-route.ts'

export const plannerRoutes: readonly TypedRoute[] = [
  {
    operation: 'estimateRun',
    method: 'POST',
    path: '/v1/runs/estimate',
    document: 'estimate-run',
    params: { input: body() },
    status: 200,
    result: 'object',
  },
  {
    operation: 'recommendRun',
    method: 'POST',
    path: '/v1/runs/recommend',
    document: 'recommend-run',
    params: { input: body() },
    status: 200,
    result: 'object',
  },
]
