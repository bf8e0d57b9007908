/**
 * Whether the cluster would take a call: asked with a trial of the Job and the Secret of one, which creates nothing.
 */
import { type Config, ConfigError, type KubernetesSettings } from '../../platform/config.ts'
import { ApiFault, faultOf } from './api-faults.ts'
import { jobOfCall, secretOfCall } from './job-of-call.ts'
import { openKubernetes } from './kubernetes-backend.ts'

export interface KubernetesReport {
  /** Null where the settings say no server to ask. */
  readonly reachable: boolean | null
  /** Why calls would fail; null if they would not. */
  readonly fault: string | null
}

/**
 * Asks the API server what it would say to a call of each tier and of none, to its key, and to a look at Jobs and pods.
 */
export async function kubernetesReport(
  config: Pick<Config, 'host' | 'port' | 'publicUrl' | 'tiers'>,
  settings: KubernetesSettings,
): Promise<KubernetesReport> {
  try {
    const { api, template } = await openKubernetes(settings)
    const trial = { callId: 'call_trial', jobId: 'run_trial', kind: 'run', functionName: 'trial', token: 'trial' }
    const tier = config.tiers[0]?.tier ?? null
    await api.createJob(jobOfCall(config, template, { ...trial, tier, maxSeconds: 3600 }, settings.ttlSeconds), true)
    await api.createSecret(secretOfCall({ ...trial, tier, maxSeconds: null }, 'trial'), true)
    await api.listJobs('hub/call=call_trial')
    await api.listPods('hub/call=call_trial')
    return { reachable: true, fault: null }
  } catch (error) {
    if (error instanceof ConfigError) return { reachable: null, fault: error.message }
    const fault = faultOf(error)
    return { reachable: fault instanceof ApiFault, fault: fault.message }
  }
}
