/**
 * The states of an endpoint session and what moves it, as one table. Pure. Spec, "Endpoint session" in "States and
 * transitions".
 */
import { HubError } from '../../platform/errors.ts'
import { nextState, type Transition } from '../../work/job-state.ts'

export const sessionStatuses = ['open', 'closed'] as const
export type SessionStatus = (typeof sessionStatuses)[number]

/**
 * `report` is a device's report that says nothing of an end, `close` one that does. `serve` and `drop` are the same of
 * the server. `end` is the end of the endpoint, `expire` and `revoke` those of the session's token and of its approval.
 */
export type SessionTrigger = 'report' | 'close' | 'serve' | 'drop' | 'end' | 'expire' | 'revoke'

export interface SessionFacts {
  readonly status: SessionStatus
}

const always = () => true
const closing: readonly SessionTrigger[] = ['close', 'drop', 'end', 'expire', 'revoke']

export const sessionTransitions: readonly Transition<SessionTrigger, SessionFacts>[] = [
  { trigger: 'report', from: 'open', when: always, to: 'open' },
  { trigger: 'serve', from: 'open', when: always, to: 'open' },
  ...closing.map((trigger) => ({ trigger, from: 'open', when: always, to: 'closed' }) as const),
]

/** Where `trigger` leads a session; 409 `conflict.session_closed` for a closed one. */
export function nextSession(trigger: SessionTrigger, facts: SessionFacts): SessionStatus {
  const to = nextState(sessionTransitions, trigger, facts)
  if (to) return to
  throw new HubError('conflict.session_closed', 'The session is closed: open another one.')
}
