/** What a hosted function is told about its call, in its environment. */
import { addressUrl, type Config } from '../platform/config.ts'
import type { CallToSpawn } from './backend.ts'

/** All but `HUB_TOKEN`, which is a secret. */
export function callEnvironment(
  config: Pick<Config, 'host' | 'port' | 'publicUrl'>,
  call: CallToSpawn,
): Record<string, string> {
  return {
    HUB_URL: config.publicUrl ?? addressUrl(config),
    HUB_JOB_KIND: call.kind,
    HUB_JOB_ID: call.jobId,
    HUB_CALL_ID: call.callId,
    HUB_JOB_TEMPLATE: call.functionName,
  }
}
