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

/** Warning about what a hosted process could access; null if it has a user of its own. */
export function processWarning({ hosted }: Pick<Config, 'hosted'>): string | null {
  if (hosted.user !== null) return null
  const which = process.getuid?.() === 0 ? 'set HOSTED_USER' : 'run the hub as root with HOSTED_USER set'
  return `HOSTED_COMMAND runs as the user of the hub and can read its HUB_SECRET and files: ${which}.`
}
