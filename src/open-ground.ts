/**
 * What a hub stands on: its addresses, its data folder, and the embedded PostgreSQL. It is opened before the modules of
 * the hub are there, so that PostgreSQL starts while they load; that takes half of a start.
 */
import type { Logger } from 'pino'
import type { HostedBackend } from './hosting/backend.ts'
import { openCluster } from './hosting/open-cluster.ts'
import { EarlyListener, listenEarly } from './http/early-listener.ts'
import type { TrustedDocuments } from './http/persisted-documents.ts'
import { type ListeningConfig, listeningConfig } from './listening-config.ts'
import type { Config } from './platform/config.ts'
import { closeDataFolder, ensureDataDir } from './store/data-folder.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './store/embedded-postgres.ts'
import type { ProcessPart } from './workers/worker-role.ts'

/** A hub is opened on it, and closed before it. */
export interface Ground {
  readonly listening: ListeningConfig
  /** Of TRUSTED_DOCUMENTS. */
  readonly trusted: TrustedDocuments | null
  readonly listener: EarlyListener
  /** That of `/metrics`, where it has an address of its own. */
  readonly metricsListener: EarlyListener | null
  readonly cluster: HostedBackend | null
  /** Null with DATABASE_URL. */
  readonly embedded: EmbeddedPostgres | null
  /** Leaves the database, and frees the addresses last. */
  close(): Promise<void>
}

/** Has a part closed with the ground, before those that were opened earlier. */
type CloseLater = (name: string, close: () => Promise<void>) => void

interface GroundOptions {
  readonly config: Config
  readonly log: Logger
  readonly part: ProcessPart
  /** Called each time a program of PostgreSQL has been started that takes a while. */
  readonly onWait?: () => void
}

/** Opens it in this order, so that what is in use or not valid is told before anything is made. */
export async function openGround({ config: given, log, part, onWait }: GroundOptions): Promise<Ground> {
  const opened = new AsyncDisposableStack()
  const closeLater: CloseLater = (name, close) =>
    opened.defer(() => close().catch((error: unknown) => log.error({ err: error }, `closing the ${name} failed`)))
  try {
    const trusted = await trustedOf(given)
    const listening = listeningConfig(given)
    const { config } = listening
    const { listener, metricsListener } = await openListeners(config, part, closeLater)
    const cluster = await openCluster(config)
    const { dataDir } = config
    if (config.objectStore.kind === 'disk' || config.databaseUrl === null) await ensureDataDir(dataDir)
    const open = await closeDataFolder(dataDir)
    if (open !== null) log.warn(open)
    const embedded =
      config.databaseUrl === null ? await startEmbeddedPostgres({ dataDir, log, ...(onWait && { onWait }) }) : null
    if (embedded) closeLater('embedded database', () => embedded.stop())
    return { listening, trusted, listener, metricsListener, cluster, embedded, close: () => opened.disposeAsync() }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

/** The reader of documents is loaded only where there is a file of them. */
async function trustedOf(config: Config): Promise<TrustedDocuments | null> {
  if (config.trustedDocuments === null) return null
  const { readTrustedDocuments } = await import('./http/persisted-documents.ts')
  return readTrustedDocuments(config.trustedDocuments)
}

/**
 * Binds the addresses before anything is made: what is in use or not there is told at once, and leaves nothing behind.
 */
async function openListeners(config: Config, { joinsLater }: ProcessPart, closeLater: CloseLater) {
  const { host, port, metrics: scraped } = config
  const listener = joinsLater
    ? new EarlyListener()
    : await listenEarly({ host, port, settings: { host: 'HOST', port: 'PORT' } })
  closeLater('listener', () => listener.release())
  const metricsListener =
    scraped.listener && (joinsLater ? new EarlyListener() : await listenEarly(metricsAt(scraped.listener)))
  if (metricsListener) closeLater('metrics listener', () => metricsListener.release())
  return { listener, metricsListener }
}

/** Where `/metrics` has an address of its own, and the settings that say so. */
export const metricsAt = (at: { readonly host: string; readonly port: number }) => ({
  ...at,
  settings: { host: 'METRICS_HOST', port: 'METRICS_PORT' },
})
