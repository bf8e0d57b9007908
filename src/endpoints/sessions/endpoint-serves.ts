/** Whether an endpoint takes sessions now. Spec, openEndpointSession. */
import { HubError, type PlainErrorType } from '../../platform/errors.ts'
import { hasEnded } from '../../work/job-state.ts'
import type { HeldEndpoint } from '../endpoint-row.ts'

/** As many as a report of the server can name. */
const MAX_OPEN_SESSIONS = 200

/**
 * The URL of the server. Errors: 409 `conflict.model_changed` for an approval of other bytes, then
 * `conflict.not_claimed`, `conflict.terminal`, `conflict.stopping` and `conflict.sessions_full`.
 */
export function assertServes(endpoint: HeldEndpoint, approvedSha256: string | undefined): string {
  const refuse = (type: PlainErrorType, detail: string) => new HubError(type, detail)
  if (endpoint.modelSha256 !== approvedSha256)
    throw refuse(
      'conflict.model_changed',
      'The approval is for other model bytes than the endpoint serves; get a new one.',
    )
  if (endpoint.status === 'queued')
    throw refuse('conflict.not_claimed', 'The endpoint is queued: no server has claimed it yet; try again later.')
  if (hasEnded(endpoint.status) || endpoint.url === null)
    throw refuse('conflict.terminal', `The endpoint has ended: it is ${endpoint.status}.`)
  if (endpoint.cancelRequestedAt !== null)
    throw refuse('conflict.stopping', 'The endpoint was asked to stop and takes no new sessions.')
  if (endpoint.sessionsOpen >= MAX_OPEN_SESSIONS)
    throw new HubError(
      'conflict.sessions_full',
      `The endpoint has ${MAX_OPEN_SESSIONS} open sessions; close one first.`,
      {
        facts: { limit: MAX_OPEN_SESSIONS, used: endpoint.sessionsOpen },
      },
    )
  return endpoint.url
}
