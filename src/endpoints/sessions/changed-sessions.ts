/** How the sessions on an account's endpoints are followed, by `followChanges`. A session is never deleted. */
import type { ChangedList } from '../../accounts/changes/shared-changes.ts'
import { type EndpointSession, getSessionsById } from './session-row.ts'

/** What changes a session hints at its endpoint, whose sums it changes too. */
export const changedSessions: ChangedList<EndpointSession> = {
  kind: 'endpoint_session',
  wokenBy: 'ep',
  byId: getSessionsById,
}
