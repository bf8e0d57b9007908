/** The rows of the `/v1` table on who asks. */
import type { Route } from '../engine/route.ts'

export const accountRoutes: readonly Route[] = [
  { operation: 'me', method: 'GET', path: '/v1/me', document: 'me', params: {}, status: 200, result: 'object' },
]
