/** `/v1` route of the caller's credential. */
import type { TypedRoute } from '../typed-route.ts'

export const accountRoutes: readonly TypedRoute[] = [
  { operation: 'me', method: 'GET', path: '/v1/me', document: 'me', params: {}, status: 200, result: 'object' },
]
