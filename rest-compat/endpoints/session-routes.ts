/** `/v1` routes of endpoint sessions. */
import { body, path, query } from '../engine/route.ts'
import type { TypedRoute } from '../typed-route.ts'

export const routes: readonly TypedRoute[] = [
  {
    operation: 'listEndpointSessions',
    method: 'GET',
    path: '/v1/endpoints/:endpoint_id/sessions',
    document: 'list-endpoint-sessions',
    params: {
      endpoint: path('endpoint_id'),
      status: query('status'),
      limit: query('limit'),
      cursor: query('cursor'),
    },
    status: 200,
    errors: [403, 404],
    result: 'page',
    unwrap: 'sessions',
    missing: 'The endpoint :endpoint_id',
  },
  {
    operation: 'openEndpointSession',
    method: 'POST',
    path: '/v1/endpoints/:endpoint_id/sessions',
    document: 'open-endpoint-session',
    params: { input: body({ endpointId: path('endpoint_id') }) },
    status: 201,
    errors: [404],
    result: 'object',
  },
  {
    operation: 'reportEndpointSession',
    method: 'POST',
    path: '/v1/endpoints/:endpoint_id/sessions/:session_id/report',
    document: 'report-endpoint-session',
    params: { input: body({ endpointId: path('endpoint_id'), sessionId: path('session_id') }) },
    status: 200,
    errors: [404],
    result: 'object',
    unwrap: 'session',
  },
]
