/**
 * The Job and the Secret of one call. Everything that Kubernetes shows of them names the call; the key is in the Secret
 * alone.
 */
import type { V1Container, V1Job, V1PodSpec, V1Secret } from '@kubernetes/client-node'
import type { Config } from '../../platform/config.ts'
import type { CallToSpawn } from '../backend.ts'
import { callEnvironment } from '../call-environment.ts'

/** On each Job and Pod of the hub: the id of its call. */
export const CALL_LABEL = 'hub/call'
export const TOKEN_KEY = 'token'
const GPU = 'nvidia.com/gpu'
/**
 * On top of the longest that a job may take from its claim on: the hour in which it has to be claimed, which includes
 * the wait for a node and an image, and two minutes in which the hub ends it itself.
 */
const DEADLINE_SLACK_SECONDS = 3600 + 120

type Settings = Pick<Config, 'host' | 'port' | 'publicUrl' | 'tiers'>

/** Names of Kubernetes have no underscores. */
export const nameOf = (callId: string): string => callId.replaceAll('_', '-')

/** The Job of a call. `ttlSeconds`: how long Kubernetes keeps it after its end. */
export function jobOfCall(config: Settings, template: V1Job, call: CallToSpawn, ttlSeconds: number): V1Job {
  const labels = { [CALL_LABEL]: call.callId, 'hub/job': call.jobId, 'hub/kind': call.kind }
  const { spec } = template
  if (!spec) throw new Error('A template has a spec.')
  const pod = spec.template.spec
  if (!pod) throw new Error('A template has a pod.')
  const deadline = call.maxSeconds === null ? {} : { activeDeadlineSeconds: call.maxSeconds + DEADLINE_SLACK_SECONDS }
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      ...template.metadata,
      name: nameOf(call.callId),
      labels: { ...template.metadata?.labels, ...labels },
    },
    spec: {
      ...spec,
      ...deadline,
      backoffLimit: 0,
      completions: 1,
      parallelism: 1,
      ttlSecondsAfterFinished: ttlSeconds,
      template: {
        metadata: {
          ...spec.template.metadata,
          labels: { ...spec.template.metadata?.labels, ...labels },
        },
        spec: podOfCall(config, pod, call),
      },
    },
  }
}

function podOfCall(config: Settings, pod: V1PodSpec, call: CallToSpawn): V1PodSpec {
  const [first, ...others] = pod.containers
  if (!first) throw new Error('A template has a container.')
  return {
    automountServiceAccountToken: false,
    ...pod,
    restartPolicy: 'Never',
    ...(call.tier === null ? {} : { nodeSelector: { ...pod.nodeSelector, ...selectorOf(config, call.tier) } }),
    containers: [containerOfCall(config, first, call), ...others],
  }
}

function containerOfCall(config: Settings, container: V1Container, call: CallToSpawn): V1Container {
  const told = Object.entries(callEnvironment(config, call)).map(([name, value]) => ({ name, value }))
  const secretKeyRef = { name: nameOf(call.callId), key: TOKEN_KEY }
  const env = [...(container.env ?? []), ...told, { name: 'HUB_TOKEN', valueFrom: { secretKeyRef } }]
  if (call.tier === null) return { ...container, env }
  const { requests, limits } = container.resources ?? {}
  const resources = {
    ...container.resources,
    ...(requests ? { requests: { ...requests, [GPU]: '1' } } : {}),
    limits: { ...limits, [GPU]: '1' },
  }
  return { ...container, env, resources }
}

/**
 * The nodes of a tier: those that the tiers file names, else those that bear its label. Never any node: a call is
 * billed at the rate of its tier.
 */
function selectorOf({ tiers }: Settings, tier: string): Readonly<Record<string, string>> {
  return tiers.find((known) => known.tier === tier)?.nodeSelector ?? { 'hub/tier': tier }
}

/** The key of a call, which Kubernetes deletes with its Job. */
export function secretOfCall(call: CallToSpawn, jobUid: string): V1Secret {
  const name = nameOf(call.callId)
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      labels: { [CALL_LABEL]: call.callId, 'hub/job': call.jobId },
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name, uid: jobUid }],
    },
    immutable: true,
    type: 'Opaque',
    data: { [TOKEN_KEY]: Buffer.from(call.token).toString('base64') },
  }
}
