/**
 * The kinds of job that the hub hosts, and the operations that apply to all of them. Every kind must be listed here.
 */
import { hostedCheck } from '../checks/dispatch/hosted-check.ts'
import { hostedEndpoint } from '../endpoints/dispatch/hosted-endpoint.ts'
import { type DispatchDeps, dispatchJob, dispatchUndispatched } from '../hosting/dispatch.ts'
import type { HostedKind } from '../hosting/hosted-kind.ts'
import { hostedRun } from '../runs/dispatch/hosted-run.ts'

export const hostedKinds: readonly HostedKind[] = [hostedRun, hostedCheck, hostedEndpoint]

/** The kind of a hosted job, by its id. */
export function hostedKindOf(jobId: string): HostedKind {
  const kind = hostedKinds.find(({ job }) => jobId.startsWith(`${job.idPrefix}_`))
  if (!kind) throw new Error(`${jobId} is the id of no kind of job that can be hosted.`)
  return kind
}

/**
 * Starts a call for a queued hosted job, at once or when there is capacity. If the call cannot be started, the job
 * fails with the reason.
 */
export function dispatchHosted(deps: DispatchDeps, jobId: string): Promise<void> {
  return dispatchJob(deps, hostedKindOf(jobId), jobId)
}

/**
 * Starts calls for queued jobs of every kind that have none, for example after a preemption. A failure of one kind does
 * not affect the others.
 */
export async function dispatchWaiting(deps: DispatchDeps): Promise<void> {
  const done = await Promise.allSettled(hostedKinds.map((kind) => dispatchUndispatched(deps, kind)))
  const faults = done.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  if (faults.length > 0) throw new AggregateError(faults, 'Hosted jobs were not dispatched.')
}
