/** Sessions of endpoints, devices and approvals, newest first. Spec, listEndpointSessions. */

import type { ChangedList } from '../../accounts/changes/shared-changes.ts'
import { childPages } from '../child-pages.ts'
import { type EndpointSession, getSessionsById, sessionColumns } from './session-row.ts'

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

/**
 * How the sessions on an account's endpoints are followed, by `followChanges`. A session is never deleted. What changes it
 * hints at its endpoint, whose sums it changes too.
 */
export const changedSessions: ChangedList<EndpointSession> = {
  kind: 'endpoint_session',
  wokenBy: 'ep',
  byId: getSessionsById,
}
