/** Starting the deployed function of a hosted job. Contract, `HOSTED_BACKEND`: `process` runs `HOSTED_COMMAND` in a shell on the hub's machine. */
import { type ChildProcess, spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Deps } from '../operation/context.ts'
import { addressUrl, type Config } from '../platform/config.ts'
import { makeHostedFolder } from './hosted-folder.ts'
import type { HostedPlace } from './places.ts'

export interface HostedJob {
  /** The kind of job: `run`. */
  readonly kind: string
  readonly id: string
  readonly callId: string
  readonly token: string
  /** Name of the deployed function; for a run, its template. */
  readonly functionName: string
}

type Settings = Pick<Config, 'hosted' | 'dataDir' | 'databaseUrl'>

/** Why functions cannot be started with these settings; null if they can. */
export function spawnFault({ hosted, dataDir, databaseUrl }: Settings): string | null {
  const { backend, command, user } = hosted
  if (backend !== 'process') return `the backend ${backend} is not supported by this hub.`
  if (command === null) return 'HOSTED_COMMAND is not set.'
  const database = databaseUrl === null ? statSync(join(dataDir, 'postgres'), { throwIfNoEntry: false }) : undefined
  if (user !== null && database?.uid === user.uid)
    return `HOSTED_USER ${user.name} is the user of the embedded PostgreSQL, whose files it could read; name another.`
  return null
}

/** Warning about what a hosted process could access; null if it has a user of its own. */
export function spawnWarning({ hosted }: Pick<Config, 'hosted'>): string | null {
  if (hosted.user !== null) return null
  const which = process.getuid?.() === 0 ? 'set HOSTED_USER' : 'run the hub as root with HOSTED_USER set'
  return `HOSTED_COMMAND runs as the user of the hub and can read its HUB_SECRET and files: ${which}.`
}

/**
 * Resolves when the function is started; rejects with the reason if it cannot be. `onEnd` is called when the process exits, which is a failure if it
 * never claimed the job. The process can outlive the hub: it claims and reports by ordinary requests. Its folder and place are released when it
 * exits.
 */
export async function spawnHosted(
  { config, log }: Pick<Deps, 'config' | 'log'>,
  job: HostedJob,
  place: HostedPlace,
  onEnd: (reason: string) => Promise<void>,
): Promise<void> {
  const fault = spawnFault(config)
  if (fault !== null) throw new Error(fault)
  const { command, user } = config.hosted
  const folder = await makeHostedFolder(user)
  // Recorded before the process starts, so that a hub that crashes here leaves no folder behind.
  await place.prepare(folder)
  const child = spawn(command ?? '', {
    shell: true,
    detached: true,
    stdio: 'ignore',
    cwd: folder,
    env: environment(config.publicUrl ?? addressUrl(config), folder, job),
    ...(user === null ? {} : { uid: user.uid, gid: user.gid }),
  })
  await started(child)
  child.unref()
  const ended = new Promise<string>((resolve) =>
    child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`)),
  )
  const pid = child.pid ?? 0
  await place
    .start(pid)
    .catch((error: unknown) =>
      log.error({ err: error, job: job.id }, 'a hosted job was not recorded for the next start of the hub'),
    )
  const afterwards = async () => {
    const how = await ended
    endGroup(pid)
    await place.settled()
    await onEnd(`HOSTED_COMMAND ended with ${how}.`).catch((error: unknown) =>
      log.error({ err: error, job: job.id }, 'the end of a hosted job was not recorded'),
    )
    await place.leave()
  }
  afterwards().catch((error: unknown) => log.error({ err: error, job: job.id }, 'a hosted job was not cleaned up'))
}

/** Ends what is left of the process group: it has no folder, place or key any more. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Usual case: no process is left.
  }
}

/** Only PATH of the hub's environment: the rest contains secrets. */
function environment(hubUrl: string, folder: string, job: HostedJob): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    TMPDIR: folder,
    HUB_URL: hubUrl,
    HUB_TOKEN: job.token,
    HUB_JOB_KIND: job.kind,
    HUB_JOB_ID: job.id,
    HUB_CALL_ID: job.callId,
    HUB_JOB_TEMPLATE: job.functionName,
  }
}

function started(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
}
