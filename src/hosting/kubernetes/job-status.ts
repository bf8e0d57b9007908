/** What the Job of a call and its pods say about the call. */
import type { V1Job, V1JobCondition, V1Pod } from '@kubernetes/client-node'
import type { CallStatus } from '../backend.ts'

const conditionOf = ({ status }: V1Job, type: string): V1JobCondition | undefined =>
  status?.conditions?.find((condition) => condition.type === type && condition.status === 'True')

/** Its pods say why. */
export const hasFailed = (job: V1Job): boolean => conditionOf(job, 'Failed') !== undefined

/** A Job that is being deleted is practically gone. */
export function statusOf(job: V1Job, pods: readonly V1Pod[]): CallStatus {
  if (job.metadata?.deletionTimestamp) return { is: 'unknown' }
  if (conditionOf(job, 'Complete')) return { is: 'ended', how: 'its container ended with code 0.' }
  const failed = conditionOf(job, 'Failed')
  if (!failed) return { is: 'running' }
  if (failed.reason === 'DeadlineExceeded') return { is: 'ended', how: 'its Job reached its deadline.' }
  const how = pods.map(endOf).find((end) => end !== null) ?? `its Job has failed${detail(failed)}.`
  return { is: 'ended', how }
}

/** How a pod ended; null if it does not say. */
function endOf({ status }: V1Pod): string | null {
  // Set by the kubelet or by the node lifecycle: Evicted, NodeLost, Shutdown.
  if (status?.reason) return `its pod has failed${detail(status)}.`
  for (const { name, state } of status?.containerStatuses ?? []) {
    const ended = state?.terminated
    if (!ended || ended.exitCode === 0) continue
    const why = ended.reason && ended.reason !== 'Error' ? ` (${ended.reason})` : ''
    return `its container ${name} ended with code ${ended.exitCode}${why}.`
  }
  const disruption = status?.conditions?.find(({ type, status }) => type === 'DisruptionTarget' && status === 'True')
  return disruption ? `its pod was disrupted${detail(disruption)}.` : null
}

/** Why a pod has not started: it has no node, or its container has no image, volume or variable; null if it has. */
export function waitOf(pods: readonly V1Pod[]): string | null {
  for (const { status } of pods) {
    const unscheduled = status?.conditions?.find(({ type, status: is }) => type === 'PodScheduled' && is === 'False')
    if (unscheduled) return `its pod has no node${detail(unscheduled)}`
    for (const { name, state } of [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])])
      if (state?.waiting) return `its container ${name} waits${detail(state.waiting)}`
  }
  return null
}

function detail({ reason, message }: { readonly reason?: string; readonly message?: string }): string {
  const text = [reason, message?.replace(/\.$/, '').slice(0, 300)].filter(Boolean).join(': ')
  return text === '' ? '' : ` (${text})`
}
