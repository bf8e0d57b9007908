/** Why a hub did not start, in words that its operator can act on. */
import { type Config, ConfigError } from './platform/config.ts'
import { HubError } from './platform/errors.ts'
import { UnfinishedRestoreError } from './store/restore-mark.ts'

/** One line (several for faulty settings), without a secret; null for what only a stack trace explains. */
export function startFailure(
  error: unknown,
  config: Pick<Config, 'host' | 'port' | 'databaseUrl' | 'dataDir'>,
): string | null {
  if (error instanceof ConfigError || error instanceof UnfinishedRestoreError) return error.message
  const { code, syscall } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  if (code === 'EADDRINUSE')
    return `Port ${config.port} on ${config.host} is in use; stop what listens there, or set PORT.`
  if (code === 'EADDRNOTAVAIL') return `HOST=${config.host} is no address of this machine.`
  if (code === 'EACCES' && syscall === 'listen')
    return `Port ${config.port} needs rights that this user does not have; set PORT to 1024 or more.`
  if (error instanceof HubError && error.type === 'unavailable') {
    return config.databaseUrl === null
      ? `The embedded database under ${config.dataDir} does not answer; see its log there.`
      : `The database at ${withoutSecret(config.databaseUrl)} does not answer; check DATABASE_URL and that the server runs.`
  }
  return null
}

/** Host, port and database of a URL: it may hold a password. */
function withoutSecret(url: string): string {
  if (!URL.canParse(url)) return 'DATABASE_URL'
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}
