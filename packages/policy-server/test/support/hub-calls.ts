/** The hub's side of an endpoint as a server calls it: what it was told, and what it answers next. */
import { setTimeout as pause } from 'node:timers/promises'
import { ProblemError, TransferError } from '@hub/client/internal'
import type { SessionState } from '../../src/links/session-book.ts'
import type { EndpointHub, EndpointReport, ServedEndpoint } from '../../src/served-endpoint.ts'
import { endpointId, modelSha256 } from './hub-keys.ts'

export interface HubCalls extends EndpointHub {
  readonly reports: EndpointReport[]
  readonly claims: { readonly key: string; readonly url: string }[]
  /** The last state that was reported of a session. */
  stateOf(session: string): SessionState | undefined
  /** As DELETE of the endpoint does. */
  askToStop(): void
  closeSession(session: string): void
  setAway(isAway: boolean): void
  /** Answers reports with 409. */
  endEndpoint(): void
}

export const servedEndpoint: ServedEndpoint = {
  id: endpointId,
  status: 'queued',
  executor: 'worker',
  model_repo: { full_name: 'lab/walker' },
  artifact: { kind: 'onnx', path: 'policy.onnx', policy_format: null },
  model_sha256: modelSha256,
  contract_fingerprint: 'e'.repeat(64),
  control_class: 'skill',
  url: null,
  stop_requested_at: null,
  error: null,
}

export function hubCalls(): HubCalls {
  const reports: EndpointReport[] = []
  const claims: { key: string; url: string }[] = []
  const states = new Map<string, SessionState>()
  const closed: string[] = []
  let [endpoint, isAway, hasEnded] = [servedEndpoint, false, false]
  const reach = () => {
    if (isAway) throw new TransferError('The hub cannot be reached: ECONNREFUSED', 'http://hub')
  }
  return {
    reports,
    claims,
    stateOf: (session) => states.get(session),
    askToStop() {
      endpoint = { ...endpoint, stop_requested_at: new Date().toISOString() }
    },
    closeSession: (session) => void closed.push(session),
    setAway(next) {
      isAway = next
    },
    endEndpoint() {
      hasEnded = true
    },
    async get() {
      reach()
      return endpoint
    },
    async *queued() {
      yield [endpoint]
    },
    async claim(_, { url }, key) {
      reach()
      const [first] = claims
      if (first && first.key !== key) throw new ProblemError(409, { type: '/problems/conflict.already_claimed' }, null)
      claims.push({ key, url })
      endpoint = { ...endpoint, status: 'running', url }
      return endpoint
    },
    async report(_, report, signal) {
      await pause(1)
      signal?.throwIfAborted()
      reach()
      if (hasEnded) throw new ProblemError(409, { type: '/problems/conflict.terminal', detail: 'It has ended.' }, null)
      reports.push(report)
      for (const state of report.sessions) states.set(state.session_id, state)
      return { ...endpoint, status: report.status, closed_sessions: [...closed] }
    },
  }
}
