/** Starting the deployed function of a hosted job. Contract, `HOSTED_BACKEND`: `process` runs `HOSTED_COMMAND` in a shell, beside the hub. */
import { type ChildProcess, spawn } from 'node:child_process'
import { addressUrl, type HostedSettings } from '../config.ts'
import type { Deps } from '../context.ts'

export interface HostedJob {
  readonly kind: 'run'
  readonly id: string
  readonly callId: string
  readonly token: string
  /** The template. */
  readonly name: string
}

/** Why no function can be started with these settings; null where one can. */
export function spawnFault({ backend, command }: Pick<HostedSettings, 'backend' | 'command'>): string | null {
  if (backend !== 'process') return `the backend ${backend} is not part of this hub.`
  return command === null ? 'HOSTED_COMMAND is not set.' : null
}

/**
 * Resolves when the function is started; rejects with the reason where it cannot be. `onEnd` is told when it ended by itself, which is a failure for
 * whoever never claimed. The process outlives the hub: its claim and its reports are requests like any other's.
 */
export async function spawnHosted(
  { config, log }: Pick<Deps, 'config' | 'log'>,
  job: HostedJob,
  onEnd: (reason: string) => Promise<void>,
): Promise<void> {
  const fault = spawnFault(config.hosted)
  if (fault !== null) throw new Error(fault)
  const child = spawn(config.hosted.command ?? '', {
    shell: true,
    detached: true,
    stdio: 'ignore',
    env: environment(config.publicUrl ?? addressUrl(config), job),
  })
  await started(child)
  child.unref()
  child.once('exit', (code, signal) => {
    const reason = `HOSTED_COMMAND ended with ${signal ?? `code ${code}`} before it claimed the job.`
    onEnd(reason).catch((error: unknown) =>
      log.error({ err: error, job: job.id }, 'the end of a hosted job was not recorded'),
    )
  })
}

/** Nothing of the hub's own environment but where programs are: that holds its secrets. */
function environment(hubUrl: string, job: HostedJob): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HUB_URL: hubUrl,
    HUB_TOKEN: job.token,
    HUB_JOB_KIND: job.kind,
    HUB_JOB_ID: job.id,
    HUB_CALL_ID: job.callId,
    HUB_JOB_TEMPLATE: job.name,
  }
}

function started(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
}
