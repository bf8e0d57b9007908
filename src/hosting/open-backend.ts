/** The backend that the settings choose. */
import type { Logger } from 'pino'
import type { Config } from '../platform/config.ts'
import type { HostedBackend } from './backend.ts'
import { openProcessBackend } from './process/process-backend.ts'

/** Opens it. Throws a `ConfigError` for a template or credentials that cannot be read. Without a hosted app it is `process`, which ends what ran before. */
export async function openBackend(config: Config, log: Logger): Promise<HostedBackend> {
  const { appName, kubernetes } = config.hosted
  if (appName === null || kubernetes === null) return openProcessBackend(config, log)
  const { kubernetesBackend, openKubernetes } = await import('./kubernetes/kubernetes-backend.ts')
  return kubernetesBackend(config, kubernetes, await openKubernetes(kubernetes))
}
