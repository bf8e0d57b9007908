/** `/v1` routes that decide spend holds. */
import { body, fields, path } from '../engine/route.ts'
import type { TypedRoute } from '../typed-route.ts'

const holdId = path('hold_id')

export const routes: readonly TypedRoute[] = [
  {
    operation: 'approveSpendHold',
    method: 'POST',
    path: '/v1/spend/holds/:hold_id/approve',
    document: 'approve-spend-hold',
    params: { input: fields({ holdId }) },
    status: 200,
    errors: [404, 502],
    result: 'object',
    unwrap: 'hold',
    quotas: ['quota.gpu_hours', 'quota.robot_checks'],
  },
  {
    operation: 'denySpendHold',
    method: 'POST',
    path: '/v1/spend/holds/:hold_id/deny',
    document: 'deny-spend-hold',
    params: { input: body({ holdId }) },
    status: 200,
    errors: [404],
    result: 'object',
    unwrap: 'hold',
  },
  {
    operation: 'cancelSpendHold',
    method: 'POST',
    path: '/v1/spend/holds/:hold_id/cancel',
    document: 'cancel-spend-hold',
    params: { input: fields({ holdId }) },
    status: 200,
    errors: [404],
    result: 'object',
    unwrap: 'hold',
  },
]
