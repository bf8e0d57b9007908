/** What the process backend needs of the settings, and what it gives to a process. Contract, "Hosted runs": `process` runs `HOSTED_COMMAND` in a shell on the hub's machine. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../platform/config.ts'

type Settings = Pick<Config, 'hosted' | 'dataDir' | 'databaseUrl'>

/** Why functions cannot be started with these settings; null if they can. */
export function processFault({ hosted, dataDir, databaseUrl }: Settings): string | null {
  const { command, user } = hosted
  if (command === null) return 'HOSTED_COMMAND is not set.'
  const database = databaseUrl === null ? statSync(join(dataDir, 'postgres'), { throwIfNoEntry: false }) : undefined
  if (user !== null && database?.uid === user.uid)
    return `HOSTED_USER ${user.name} is the user of the embedded PostgreSQL, whose files it could read; name another.`
  return null
}

/** What a deployment that cannot host is told wherever it looks: its start, `hub doctor`, and the error of each job, which has the same reason. */
export const cannotHost = (fault: string) => `Hosted jobs are accepted, and each then fails: ${fault}`

/** What the operator should know of the process backend at its start; null if there is nothing. */
export function processNotice(settings: Settings): string | null {
  const fault = processFault(settings)
  return fault === null ? processWarning(settings) : cannotHost(fault)
}

/** Warning about what a hosted process could access; null if it has a user of its own, or there is none. */
export function processWarning({ hosted }: Pick<Config, 'hosted'>): string | null {
  if (hosted.user !== null || hosted.command === null) return null
  const which = process.getuid?.() === 0 ? 'set HOSTED_USER' : 'run the hub as root with HOSTED_USER set'
  return `HOSTED_COMMAND runs as the user of the hub and can read its HUB_SECRET and files: ${which}.`
}
