/** The states of an endpoint and what moves it, as one table. Pure. Spec, "Endpoint" in "States and transitions". */
import type { JobExecutor } from '../work/held-job.ts'
import { hasEnded, type JobRefusal, nextState, refusals, type Transition } from '../work/job-state.ts'

export const endpointStatuses = ['queued', 'running', 'stopped', 'failed'] as const
export type EndpointStatus = (typeof endpointStatuses)[number]

/**
 * `report` says nothing of an end; `close` and `fail` are reports that do. `stop` of a running endpoint is a request,
 * made by a person or by a limit. `dispatch` is a hosted call that could not be started or ended without a report;
 * `sweep` is the hub's own end of a server that did not stop in time.
 */
export type EndpointTrigger = 'claim' | 'report' | 'close' | 'fail' | 'stop' | 'dispatch' | 'sweep'

/** The facts of an endpoint, and of the credential that acts on it, that decide. */
export interface EndpointFacts {
  readonly status: EndpointStatus
  readonly executor: JobExecutor
  /** The actor is the credential that claimed it. */
  readonly isClaimer: boolean
  /** The actor is the key of the hosted call that serves it. */
  readonly isOwnKey: boolean
  /** It was asked to stop, and its time to do so is over. */
  readonly graceOver: boolean
}

const always = () => true
const claimer = (endpoint: EndpointFacts) => endpoint.isClaimer
const hosted = (endpoint: EndpointFacts) => endpoint.executor === 'hosted'

export const endpointTransitions: readonly Transition<EndpointTrigger, EndpointFacts>[] = [
  { trigger: 'claim', from: 'queued', when: (one) => one.executor === 'worker' || one.isOwnKey, to: 'running' },
  { trigger: 'report', from: 'running', when: claimer, to: 'running' },
  { trigger: 'close', from: 'running', when: claimer, to: 'stopped' },
  { trigger: 'fail', from: 'running', when: claimer, to: 'failed' },
  { trigger: 'stop', from: 'queued', when: always, to: 'stopped' },
  { trigger: 'stop', from: 'running', when: always, to: 'running' },
  { trigger: 'dispatch', from: 'queued', when: hosted, to: 'failed' },
  { trigger: 'dispatch', from: 'running', when: hosted, to: 'failed' },
  { trigger: 'sweep', from: 'running', when: (one) => one.graceOver, to: 'failed' },
]

export type EndpointVerdict = { readonly to: EndpointStatus } | { readonly refusal: JobRefusal }

/** What `trigger` does to an endpoint of these facts. */
export function decideEndpoint(trigger: EndpointTrigger, endpoint: EndpointFacts): EndpointVerdict {
  const to = nextState(endpointTransitions, trigger, endpoint)
  return to ? { to } : { refusal: refusalOf(trigger, endpoint) }
}

function refusalOf(trigger: EndpointTrigger, { status }: EndpointFacts): JobRefusal {
  if (hasEnded(status)) return refusals.ended('endpoint', status)
  if (trigger === 'claim') return status === 'running' ? refusals.claimed('endpoint') : refusals.hosted('endpoint')
  if (status === 'queued') return refusals.unclaimed('endpoint')
  return refusals.notClaimer('endpoint')
}
