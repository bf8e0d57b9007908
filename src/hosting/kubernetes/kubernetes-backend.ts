/**
 * Hosted calls as Jobs of a Kubernetes cluster. A Job bears the id of its call, so of two attempts to spawn a call the
 * second finds it there (409). The call's key is in a Secret that the Job owns: it is created after the Job, whose pod
 * waits for it, and goes with it.
 */
import type { V1Job } from '@kubernetes/client-node'
import { type Config, ConfigError, type KubernetesSettings } from '../../platform/config.ts'
import { type CallStatus, type CallToSpawn, type HostedBackend, SpawnLater, SpawnRefused } from '../backend.ts'
import { notEnded } from '../stop-call.ts'
import { ApiFault, faultOf, spawnError } from './api-faults.ts'
import { CALL_LABEL, jobOfCall, nameOf, secretOfCall } from './job-of-call.ts'
import { hasFailed, statusOf, waitOf } from './job-status.ts'
import { readJobTemplate } from './job-template.ts'
import { type KubeApi, loadClient, openKubeApi } from './kube-api.ts'

type Settings = Pick<Config, 'host' | 'port' | 'publicUrl' | 'tiers'>

/** Calls in one request: their ids are in its URL. */
const PAGE = 50

export interface KubernetesParts {
  readonly api: KubeApi
  readonly template: V1Job
}

/** Reads the template and the credentials. Throws a `ConfigError` that names the setting and its fault. */
export async function openKubernetes(settings: KubernetesSettings): Promise<KubernetesParts> {
  const k8s = await loadClient()
  const named = <T>(name: string, read: () => T): T => {
    try {
      return read()
    } catch (error) {
      throw new ConfigError([`${name}: ${error instanceof Error ? error.message : error}`])
    }
  }
  const template = named('HOSTED_KUBE_TEMPLATE', () => readJobTemplate(settings.templateFile, { ...k8s.models }))
  return { template, api: named('HOSTED_KUBECONFIG', () => openKubeApi(k8s, settings)) }
}

/** Opens the backend; sends no request, so that a hub starts while its cluster is away. */
export function kubernetesBackend(
  config: Settings,
  { ttlSeconds }: Pick<KubernetesSettings, 'ttlSeconds'>,
  { api, template }: KubernetesParts,
): HostedBackend {
  const spawn = async (call: CallToSpawn) => {
    const job = await createOrFind(api, jobOfCall(config, template, call, ttlSeconds), call.callId)
    const uid = job.metadata?.uid
    if (!uid) throw new SpawnLater('the answer of the API server was not understood (a Job without a uid).')
    await ignoring(409, api.createSecret(secretOfCall(call, uid)))
  }
  const remove = async (callId: string) => {
    await ignoring(404, api.deleteJob(nameOf(callId)))
  }
  return {
    name: 'kubernetes',
    // Every hub can reach the cluster.
    place: async () => null,
    // What does not fit waits in the cluster.
    reserve: async () => 'reserved',
    wait: () => undefined,
    spawn: (call) =>
      spawn(call).catch((error: unknown) => {
        throw error instanceof SpawnLater || error instanceof SpawnRefused ? error : spawnError(faultOf(error))
      }),
    release: async () => undefined,
    end: remove,
    async cancel(callId, then) {
      await remove(callId).catch((error: unknown) => {
        throw notEnded(faultOf(error).message)
      })
      return then()
    },
    async status(callIds) {
      const statuses = new Map<string, CallStatus>()
      for (let at = 0; at < callIds.length; at += PAGE)
        for (const [callId, status] of await askStatus(api, callIds.slice(at, at + PAGE))) statuses.set(callId, status)
      return statuses
    },
    waitsFor: async (callId) => waitOf(await api.listPods(`${CALL_LABEL}=${callId}`)),
    // Ends are found by `status`.
    attend: async () => undefined,
    close: async () => undefined,
  }
}

/** One Job for a call, whichever instance created it. */
async function createOrFind(api: KubeApi, job: V1Job, callId: string): Promise<V1Job> {
  const created = await ignoring(409, api.createJob(job))
  if (created) return created
  const found = await ignoring(404, api.readJob(nameOf(callId)))
  if (!found) throw new SpawnLater('its Job is being deleted.')
  if (found.metadata?.labels?.[CALL_LABEL] === callId) return found
  throw new SpawnRefused(`the Job ${nameOf(callId)} in the namespace ${api.namespace} is not of this call.`)
}

async function askStatus(api: KubeApi, callIds: readonly string[]): Promise<[string, CallStatus][]> {
  if (callIds.length === 0) return []
  const among = (ids: readonly string[]) => `${CALL_LABEL} in (${ids.join(',')})`
  const jobs = await api.listJobs(among(callIds))
  const idOf = ({ metadata }: Pick<V1Job, 'metadata'>) => metadata?.labels?.[CALL_LABEL] ?? ''
  const failed = jobs.filter(hasFailed).map(idOf)
  const pods = failed.length === 0 ? [] : await api.listPods(among(failed))
  return jobs.map((job) => [
    idOf(job),
    statusOf(
      job,
      pods.filter((pod) => idOf(pod) === idOf(job)),
    ),
  ])
}

/** Null for an answer with this status: what was asked for is done already. */
async function ignoring<T>(status: number, answer: Promise<T>): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ApiFault && error.status === status) return null
    throw error
  }
}
