/**
 * A real PostgreSQL under the data directory, for a hub without DATABASE_URL.
 *
 * The server is a separate process, shared by every process that uses the data directory (hubs, the command line). Each
 * of them holds a shared advisory lock; the last one to release it stops the server. A server left running by a hard
 * kill is reused, and one that dies while in use is restarted, on the same port, by the first process to notice.
 */
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { type Cluster, ensureCluster } from './embedded-cluster.ts'
import { launch, runningServer, type Server, serverUrl, shutDown } from './embedded-server.ts'
import type { SilenceLimits } from './server-watch.ts'
import { withStartLock } from './start-lock.ts'
import { SILENT_MS, watchedClients } from './watched-clients.ts'

/** Any constant that is the same in every process of one data directory. */
const PRESENCE_LOCK = 4_801_501
const START_DEADLINE_MS = 60_000
/** How long a stopping process waits for the locks of killed processes to disappear. */
const NOTICE_MS = 300
/** Delay between restart attempts: the last processes of a dead server take a moment to exit. */
const RETRY_MIN_MS = 100
const RETRY_MAX_MS = 5_000

/** Its statements are about locks and the catalogue. */
const presenceLimits: SilenceLimits = { silentMs: SILENT_MS, stuckMs: 30_000 }

export interface EmbeddedPostgres {
  /** URL of the existing database `hub`. */
  readonly url: string
  /** Pid of the server process; changes after a restart. */
  readonly pid: number
  /** Releases the server; the last process stops it. */
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  readonly dataDir: string
  readonly log?: Logger
  /** Further server settings for a server that this call starts, such as `fsync: 'off'` for a throwaway one. */
  readonly settings?: Readonly<Record<string, string>>
  /** Called each time a program of PostgreSQL has been started that takes a while. */
  readonly onWait?: () => void
}

/**
 * Finds the running server of `dataDir`, or initializes and starts it. Throws with the end of the server log if it is
 * not up within 60 s.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, settings, onWait } = options
  const cluster = await withStartLock(dataDir, () => ensureCluster(dataDir, onWait))
  const deadline = performance.now() + START_DEADLINE_MS
  for (;;) {
    const server = await withStartLock(
      dataDir,
      async () => (await runningServer(cluster)) ?? launch(cluster, settings, onWait),
    )
    const presence = await enter(cluster, server).catch((error: unknown) => {
      // The last process may stop the server between our finding it and taking the lock.
      if (performance.now() > deadline) throw error
      return null
    })
    if (!presence) continue
    await ensureDatabase(serverUrl(cluster, server, 'postgres'), 'hub').catch(async (error: unknown) => {
      // As on a full disk: the server would run on for no process.
      await leave(cluster, server, presence).catch(() => undefined)
      throw error
    })
    options.log?.debug({ pid: server.pid, port: server.port }, 'embedded PostgreSQL is up')
    const kept = keepRunning(cluster, options, { server, presence })
    return {
      url: serverUrl(cluster, server, 'hub'),
      get pid() {
        return kept.current().server.pid
      },
      stop: once(async () => {
        const { server, presence } = await kept.end()
        await leave(cluster, server, presence)
      }),
    }
  }
}

interface Held {
  readonly server: Server
  readonly presence: pg.Client
}

/**
 * Monitors the server through the connection that holds the lock; restarts it and takes the lock again if that breaks.
 */
function keepRunning(cluster: Cluster, options: EmbeddedOptions, first: Held) {
  let held = first
  const ending = new AbortController()
  let recovery: Promise<void> = Promise.resolve()
  const recover = async () => {
    options.log?.error({ pid: held.server.pid }, 'the connection to the embedded PostgreSQL broke')
    for (let waitMs = RETRY_MIN_MS; !ending.signal.aborted; waitMs = Math.min(2 * waitMs, RETRY_MAX_MS)) {
      try {
        held = await startAgain(cluster, options, held.server)
        options.log?.warn({ pid: held.server.pid }, 'the embedded PostgreSQL is up again')
        return watch()
      } catch (error) {
        options.log?.error({ err: error }, 'the embedded PostgreSQL is not up yet')
        await delay(waitMs, undefined, { ref: false, signal: ending.signal }).catch(() => undefined)
      }
    }
  }
  const watch = () => {
    held.presence.once('end', () => {
      if (!ending.signal.aborted) recovery = recover()
    })
  }
  watch()
  return {
    current: () => held,
    async end() {
      ending.abort()
      await recovery
      return held
    },
  }
}

async function startAgain(cluster: Cluster, options: EmbeddedOptions, former: Server): Promise<Held> {
  const server = await withStartLock(
    options.dataDir,
    async () => (await runningServer(cluster)) ?? launch(cluster, options.settings),
  )
  if (server.port !== former.port)
    throw new Error(
      `It listens on port ${server.port} now, and this process knows it on ${former.port}: restart this one.`,
    )
  return { server, presence: await enter(cluster, server) }
}

/** Creates the database `name` unless it exists. `adminUrl` names any other database of the server. */
async function ensureDatabase(adminUrl: string, name: string): Promise<void> {
  const Client = watchedClients(adminUrl, presenceLimits)
  const client = new Client({ connectionString: adminUrl })
  await client.connect()
  try {
    const found = await client.query('select from pg_database where datname = $1', [name])
    if (found.rowCount) return
    await client.query(`create database ${client.escapeIdentifier(name)}`).catch((error: unknown) => {
      // Concurrent creation: 42P04 or the catalogue's unique index.
      if (!(error instanceof pg.DatabaseError) || !['42P04', '23505'].includes(error.code ?? '')) throw error
    })
  } finally {
    await client.end()
  }
}

/** Holds the shared lock while this process uses the server. */
async function enter(cluster: Cluster, server: Server): Promise<pg.Client> {
  const url = serverUrl(cluster, server, 'postgres')
  const Client = watchedClients(url, presenceLimits)
  const client = new Client({ connectionString: url, application_name: 'hub presence' })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select pg_advisory_lock_shared($1)', [PRESENCE_LOCK])
    return client
  } catch (error) {
    await client.end().catch(() => undefined)
    throw error
  }
}

async function leave(cluster: Cluster, server: Server, presence: pg.Client): Promise<void> {
  const isLast = await presence
    .query('select pg_advisory_unlock_shared($1)', [PRESENCE_LOCK])
    .then(() => isAlone(presence))
    .catch(() => false)
  if (isLast) await shutDown(cluster, server)
  await presence.end().catch(() => undefined)
}

/** Whether no other process uses the server. It takes the server a moment to release the lock of a killed process. */
async function isAlone(presence: pg.Client): Promise<boolean> {
  const deadline = performance.now() + NOTICE_MS
  for (;;) {
    const { rows } = await presence.query<{ alone: boolean }>('select pg_try_advisory_lock($1) as alone', [
      PRESENCE_LOCK,
    ])
    if (rows[0]?.alone === true) return true
    if (performance.now() > deadline) return false
    await delay(50)
  }
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= action()
    return done
  }
}
