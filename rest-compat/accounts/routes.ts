/** The rows of the `/v1` table on who asks. */
import type { TypedRoute } from '../typed-route.ts'

export const accountRoutes: readonly TypedRoute[] = [
  { operation: 'me', method: 'GET', path: '/v1/me', document: 'me', params: {}, status: 200, result: 'object' },
]
