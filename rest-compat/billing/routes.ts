/** `/v1` routes of hardware tiers. */
import type { TypedRoute } from '../typed-route.ts'

export const billingRoutes: readonly TypedRoute[] = [
  {
    operation: 'listHardwareTiers',
    method: 'GET',
    path: '/v1/hardware_tiers',
    document: 'list-hardware-tiers',
    params: {},
    status: 200,
    result: 'object',
  },
]
