/** Sessions of endpoints, devices and approvals, newest first. Spec, listEndpointSessions. */
import { childPages } from '../child-pages.ts'
import { sessionColumns } from './session-row.ts'

const sessions = {
  name: 'endpoint-sessions',
  prefix: 'esess',
  table: 'endpoint_sessions',
  alias: 's',
  columns: sessionColumns,
  joins: 'join endpoints u on u.id = s.endpoint_id',
  statusSql: 'c.status::text',
} as const

export const sessionsOfEndpoints = childPages(sessions, 'endpoint_id')
export const sessionsOfDevices = childPages(sessions, 'device_id')
export const sessionsOfApprovals = childPages(sessions, 'approval_id')
