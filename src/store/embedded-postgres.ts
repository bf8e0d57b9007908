/**
 * A real PostgreSQL under the data directory, for a hub without DATABASE_URL.
 *
 * The server is a process of its own and is shared by every process that uses the data directory (hubs, the command line). Each of them
 * holds a shared advisory lock while it does; whoever leaves last stops the server. One that a hard kill left running is adopted, and one that dies under its
 * users is started again by the first of them to notice, on the port that they all know.
 */
import { spawn } from 'node:child_process'
import { open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import { type Cluster, ensureCluster, selfPath } from './embedded-cluster.ts'
import { isRunning, withStartLock } from './start-lock.ts'

/** Any constant: it only has to be the same in every process of one data directory. */
const PRESENCE_LOCK = 4_801_501
const START_DEADLINE_MS = 60_000
const STOP_DEADLINE_MS = 30_000
/** How long one who leaves waits for the locks of processes that were killed to go. */
const NOTICE_MS = 300
/** Between tries to have a dead server back: its last processes take a moment to go. */
const RETRY_MIN_MS = 100
const RETRY_MAX_MS = 5_000
const LOG_ROTATION_BYTES = 8 * 1024 ** 2

export interface EmbeddedPostgres {
  /** Of the database `hub`, which exists. */
  readonly url: string
  /** Of the server process; another one after it died. */
  readonly pid: number
  /** Leaves the server; the last one out stops it. */
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  readonly dataDir: string
  readonly log?: Logger
  /** Further server settings for a server that this call starts, such as `fsync: 'off'` for a throwaway one. */
  readonly settings?: Readonly<Record<string, string>>
}

/** Finds the running server of `dataDir`, or makes and starts it. Throws with the end of the server's log when it does not come up within 60 s. */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const cluster = await withStartLock(options.dataDir, () => ensureCluster(options.dataDir))
  const deadline = Date.now() + START_DEADLINE_MS
  for (;;) {
    const server = await withStartLock(
      options.dataDir,
      async () => (await runningServer(cluster)) ?? launch(cluster, options),
    )
    const presence = await enter(cluster, server).catch((error: unknown) => {
      // The last one out may stop the server between our finding it and our entering it.
      if (Date.now() > deadline) throw error
      return null
    })
    if (!presence) continue
    await ensureDatabase(serverUrl(cluster, server, 'postgres'), 'hub')
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

/** Watches the server by the connection that holds the lock, and has it running again, with the lock, when that breaks. */
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
    async () => (await runningServer(cluster)) ?? launch(cluster, options),
  )
  if (server.port !== former.port)
    throw new Error(
      `It listens on port ${server.port} now, and this process knows it on ${former.port}: restart this one.`,
    )
  return { server, presence: await enter(cluster, server) }
}

/** Creates the database `name` unless it exists. `adminUrl` names any other database of the server. */
async function ensureDatabase(adminUrl: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    const found = await client.query('select from pg_database where datname = $1', [name])
    if (found.rowCount) return
    await client.query(`create database ${client.escapeIdentifier(name)}`).catch((error: unknown) => {
      // Two that create it at once: 42P04 or the catalogue's own unique index.
      if (!(error instanceof pg.DatabaseError) || !['42P04', '23505'].includes(error.code ?? '')) throw error
    })
  } finally {
    await client.end()
  }
}

interface Server {
  readonly pid: number
  readonly port: number
}

function serverUrl(cluster: Cluster, server: Server, database: string): string {
  return `postgresql://hub:${cluster.password}@127.0.0.1:${server.port}/${database}`
}

/** Lines 1, 4 and 8 of `postmaster.pid`: pid, port, state. */
async function pidFile(cluster: Cluster): Promise<(Server & { state: string }) | null> {
  const text = await readFile(join(cluster.clusterDir, 'postmaster.pid'), 'utf8').catch(() => null)
  if (text === null) return null
  const lines = text.split('\n')
  return { pid: Number(lines[0]), port: Number(lines[3]), state: (lines[7] ?? '').trim() }
}

/** The server that already runs on this cluster, waited for while it starts or stops. */
async function runningServer(cluster: Cluster): Promise<Server | null> {
  const deadline = Date.now() + START_DEADLINE_MS
  for (;;) {
    const found = await pidFile(cluster)
    if (!found) return null
    if (!(await isRunning(found.pid)) || !(await isPostgres(found.pid))) {
      // Another process may have been given the dead server's pid, and PostgreSQL would then refuse to start.
      await rm(join(cluster.clusterDir, 'postmaster.pid'), { force: true })
      return null
    }
    if (found.state === 'ready' && (await answers(serverUrl(cluster, found, 'postgres')))) return found
    if (Date.now() > deadline)
      throw new Error(`PostgreSQL (pid ${found.pid}) on ${cluster.clusterDir} does not answer.`)
    await delay(50)
  }
}

async function isPostgres(pid: number): Promise<boolean> {
  if (process.platform !== 'linux') return true
  return (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).startsWith('postgres')
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function launch(cluster: Cluster, options: EmbeddedOptions): Promise<Server> {
  const logPath = join(cluster.home, 'server.log')
  if (((await stat(logPath).catch(() => null))?.size ?? 0) > LOG_ROTATION_BYTES) await rename(logPath, `${logPath}.1`)
  const log = await open(logPath, 'a', 0o600)
  const port = await portFor(cluster)
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    timezone: 'UTC',
    ...options.settings,
  }
  // In a process group of its own: an interrupt typed at the terminal would otherwise stop it under the hub that is still answering.
  const child = spawn(
    cluster.postgres,
    ['-D', selfPath(cluster), ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    {
      ...cluster.runAs,
      cwd: cluster.clusterDir,
      env: { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' },
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    },
  )
  let ended = false
  child.once('error', () => {
    ended = true
  })
  child.once('exit', () => {
    ended = true
  })
  child.unref()
  await log.close()
  const deadline = Date.now() + START_DEADLINE_MS
  while (!ended && Date.now() < deadline) {
    const found = await pidFile(cluster)
    if (found && found.pid === child.pid && found.state === 'ready') return found
    await delay(20)
  }
  const said = (await readFile(logPath, 'utf8').catch(() => '')).trim().split('\n').slice(-5).join('\n')
  throw new Error(`The embedded PostgreSQL did not start:\n${said}`)
}

/** The port of the last time, which processes that outlived the server go on using; another one where somebody else has taken it. */
async function portFor(cluster: Cluster): Promise<number> {
  const path = join(cluster.home, 'port')
  const kept = Number(await readFile(path, 'utf8').catch(() => ''))
  const port = await freePort(kept).catch(() => freePort(0))
  if (port !== kept) await writeFile(path, String(port))
  return port
}

/** `wanted`, or any that is free for 0; throws where it is taken. */
async function freePort(wanted: number): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(wanted, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise<void>((resolve) => probe.close(() => resolve()))
  if (address === null || typeof address === 'string') throw new Error('No free port was found on 127.0.0.1.')
  return address.port
}

/** Holds the shared lock for as long as this process uses the server. */
async function enter(cluster: Cluster, server: Server): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: serverUrl(cluster, server, 'postgres'),
    connectionTimeoutMillis: 10_000,
    application_name: 'hub presence',
    keepAlive: true,
  })
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

/** Whether nobody else is present. The server needs a moment to notice that a process which was killed holds its lock no more. */
async function isAlone(presence: pg.Client): Promise<boolean> {
  const deadline = Date.now() + NOTICE_MS
  for (;;) {
    const { rows } = await presence.query<{ alone: boolean }>('select pg_try_advisory_lock($1) as alone', [
      PRESENCE_LOCK,
    ])
    if (rows[0]?.alone === true) return true
    if (Date.now() > deadline) return false
    await delay(50)
  }
}

/** Fast shutdown (SIGINT): open transactions are rolled back, everything committed is kept. Returns when the process is gone. */
async function shutDown(cluster: Cluster, server: Server): Promise<void> {
  if ((await pidFile(cluster))?.pid !== server.pid) return
  process.kill(server.pid, 'SIGINT')
  const deadline = Date.now() + STOP_DEADLINE_MS
  while (await isRunning(server.pid)) {
    if (Date.now() > deadline)
      throw new Error(`PostgreSQL (pid ${server.pid}) did not stop within ${STOP_DEADLINE_MS / 1000} s.`)
    await delay(20)
  }
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= action()
    return done
  }
}
