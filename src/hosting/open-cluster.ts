/** The Kubernetes of the settings. Loads nothing where there is none. */
import type { Config } from '../platform/config.ts'
import type { HostedBackend } from './backend.ts'

/**
 * The cluster of the settings; null without one. Throws a `ConfigError` for a template or credentials that cannot be
 * read. Makes nothing.
 */
export async function openCluster(config: Config): Promise<HostedBackend | null> {
  const { appName, kubernetes } = config.hosted
  if (appName === null || kubernetes === null) return null
  const { kubernetesBackend, openKubernetes } = await import('./kubernetes/kubernetes-backend.ts')
  return kubernetesBackend(config, kubernetes, await openKubernetes(kubernetes))
}
