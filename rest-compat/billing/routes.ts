/** `/v1` routes of hardware tiers, spend and spend holds. */
import { body, path, query } from '../engine/route.ts'
import type { TypedRoute } from '../typed-route.ts'

export const routes: readonly TypedRoute[] = [
  {
    operation: 'listHardwareTiers',
    method: 'GET',
    path: '/v1/hardware_tiers',
    document: 'list-hardware-tiers',
    params: {},
    status: 200,
    result: 'object',
  },
  {
    operation: 'getSpendSummary',
    method: 'GET',
    path: '/v1/spend',
    document: 'get-spend-summary',
    params: { account: query('account'), month: query('month') },
    status: 200,
    errors: [403, 404],
    result: 'object',
  },
  {
    operation: 'setSpendCap',
    method: 'PUT',
    path: '/v1/spend/cap',
    document: 'set-spend-cap',
    params: { input: body() },
    status: 200,
    errors: [404],
    result: 'object',
    unwrap: 'spend',
  },
  {
    operation: 'listSpendHolds',
    method: 'GET',
    path: '/v1/spend/holds',
    document: 'list-spend-holds',
    params: { status: query('status'), limit: query('limit'), cursor: query('cursor') },
    status: 200,
    errors: [403],
    result: 'page',
  },
  {
    operation: 'getSpendHold',
    method: 'GET',
    path: '/v1/spend/holds/:hold_id',
    document: 'get-spend-hold',
    params: { hold: path('hold_id') },
    status: 200,
    errors: [403, 404],
    result: 'object',
    missing: 'The hold :hold_id',
  },
]
