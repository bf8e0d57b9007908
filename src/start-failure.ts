/** Why a hub did not start, in words that its operator can act on. */

import { CannotListen } from '@hub/formats/listen-address'
import { type Config, ConfigError } from './platform/config.ts'
import { notInstalled } from './platform/not-installed.ts'
import { NotAdoptedError } from './store/adopt-baseline.ts'
import { databaseFault, isFullDisk } from './store/connect-fault.ts'
import { EmbeddedFault } from './store/embedded-cluster.ts'
import { OldPostgres } from './store/postgres-version.ts'
import { UnfinishedRestoreError } from './store/restore-mark.ts'

/** Their messages are whole: what is wrong and what to do. */
const SELF_EXPLAINING = [ConfigError, UnfinishedRestoreError, NotAdoptedError, CannotListen]

/**
 * One line that names the setting (one for each of several faulty settings), without a secret and without anything of a
 * file; null for what only a stack trace explains.
 */
export function startFailure(error: unknown, config: Pick<Config, 'databaseUrl' | 'dataDir'>): string | null {
  if (SELF_EXPLAINING.some((kind) => error instanceof kind)) return (error as Error).message
  const missing = notInstalled(error)
  if (missing !== null) return missing
  const { databaseUrl, dataDir } = config
  if (databaseUrl !== null) {
    const name = `DATABASE_URL: the database at ${withoutSecret(databaseUrl)}`
    if (error instanceof OldPostgres) return `${name} is ${error.message}`
    const fault = databaseFault(error)
    if (fault !== null) return `${name} ${fault}.`
  }
  if (isFullDisk(error)) return `HUB_DATA_DIR: the disk of ${dataDir} is full; make room, or set it to another disk.`
  const log = `${dataDir}/postgres/server.log`
  if (error instanceof EmbeddedFault)
    return `HUB_DATA_DIR: the embedded database under ${dataDir} ${error.isMade ? `did not start; ${log} says why` : 'could not be made; check that its disk has room, and that nothing else is in the folder postgres'}.`
  if (databaseUrl === null && databaseFault(error) !== null)
    return `HUB_DATA_DIR: the embedded database under ${dataDir} does not answer; ${log} says why.`
  return folderFault(error, dataDir)
}

/** A file or folder of the data folder that cannot be made, read or written. */
function folderFault(error: unknown, dataDir: string): string | null {
  const { code, path } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  if (path === undefined || (path !== dataDir && !path.startsWith(`${dataDir}/`))) return null
  return `HUB_DATA_DIR: ${path} cannot be used (${code}); let the user of the hub read and write all of the folder, or set it to another.`
}

/** Host, port and database of a URL: it may hold a password. */
function withoutSecret(url: string): string {
  if (!URL.canParse(url)) return 'DATABASE_URL'
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}
