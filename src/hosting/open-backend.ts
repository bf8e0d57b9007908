/** The backend that the settings choose. */
import type { Logger } from 'pino'
import type { Config } from '../platform/config.ts'
import type { HostedBackend } from './backend.ts'
import { openProcessBackend } from './process/process-backend.ts'

/**
 * Opens it, with the cluster that was opened before. Without one, or without a hosted app, it is `process`, which ends
 * what ran before.
 */
export async function openBackend(config: Config, log: Logger, cluster: HostedBackend | null): Promise<HostedBackend> {
  return cluster ?? (await openProcessBackend(config, log))
}
