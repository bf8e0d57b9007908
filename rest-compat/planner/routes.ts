/** `/v1` routes of templates, estimates and recommendations. */
import { body } from '../engine/route.ts'
import type { TypedRoute } from '../typed-route.ts'

export const routes: readonly TypedRoute[] = [
  {
    operation: 'listTemplates',
    method: 'GET',
    path: '/v1/templates',
    document: 'list-templates',
    params: {},
    status: 200,
    result: 'object',
  },
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
