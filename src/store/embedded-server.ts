/** The server process of an embedded cluster: found, started and stopped. */
import { spawn } from 'node:child_process'
import { open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { type Cluster, EmbeddedFault, selfPath } from './embedded-cluster.ts'
import { isRunning } from './start-lock.ts'

const START_DEADLINE_MS = 60_000
const STOP_DEADLINE_MS = 30_000
const LOG_ROTATION_BYTES = 8 * 1024 ** 2

/** A running server of a cluster. */
export interface Server {
  readonly pid: number
  readonly port: number
  /** Whether it also listens on a Unix socket, in the cluster's directory. */
  readonly hasSocket: boolean
}

/** Without the zero at their end socket addresses have at most 103 bytes on macOS and 107 on Linux. */
const MAX_SOCKET_PATH_BYTES = 103
const hasRoomForSocket = ({ clusterDir }: Cluster) =>
  process.platform !== 'win32' && Buffer.byteLength(resolve(clusterDir, '.s.PGSQL.65535')) <= MAX_SOCKET_PATH_BYTES

/**
 * URL of one of its databases: over the Unix socket, where a round trip takes a fifth less of the processor than over
 * TCP.
 */
export function serverUrl(cluster: Cluster, server: Server, database: string): string {
  const url = `postgresql://hub:${cluster.password}@127.0.0.1:${server.port}/${database}`
  return server.hasSocket ? `${url}?host=${encodeURIComponent(resolve(cluster.clusterDir))}` : url
}

/** Lines 1, 4, 5 and 8 of `postmaster.pid`: pid, port, directory of the socket, state. */
async function pidFile(cluster: Cluster): Promise<(Server & { state: string }) | null> {
  const text = await readFile(join(cluster.clusterDir, 'postmaster.pid'), 'utf8').catch(() => null)
  if (text === null) return null
  const [pid, , , port, socketDir = '', , , state = ''] = text.split('\n').map((line) => line.trim())
  return { pid: Number(pid), port: Number(port), hasSocket: socketDir !== '' && hasRoomForSocket(cluster), state }
}

/** What a killed server has left. Another process may have its pid by now, and PostgreSQL would then not start. */
async function removeLocks(cluster: Cluster): Promise<void> {
  const isLock = (name: string) => name === 'postmaster.pid' || name.startsWith('.s.PGSQL.')
  const left = (await readdir(cluster.clusterDir)).filter(isLock)
  await Promise.all(left.map((name) => rm(join(cluster.clusterDir, name), { force: true })))
}

/** The server already running on this cluster; waits while it starts or stops. */
export async function runningServer(cluster: Cluster): Promise<Server | null> {
  const deadline = performance.now() + START_DEADLINE_MS
  for (;;) {
    const found = await pidFile(cluster)
    if (!found) return null
    if (!(await isRunning(found.pid)) || !(await isPostgres(found.pid))) return null
    if (found.state === 'ready' && (await answers(serverUrl(cluster, found, 'postgres')))) return found
    if (performance.now() > deadline)
      throw new Error(`PostgreSQL (pid ${found.pid}) on ${cluster.clusterDir} does not respond.`)
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

/**
 * Starts the server where `runningServer` found none, with `extra` settings over the hub's own, on its previous port.
 * `onWait` is called once its process runs. Throws with the end of its log if it is not up within 60 s.
 */
export async function launch(
  cluster: Cluster,
  extra: Readonly<Record<string, string>> = {},
  onWait?: () => void,
): Promise<Server> {
  const logPath = join(cluster.home, 'server.log')
  if (((await stat(logPath).catch(() => null))?.size ?? 0) > LOG_ROTATION_BYTES) await rename(logPath, `${logPath}.1`)
  const log = await open(logPath, 'a', 0o600)
  const port = await portFor(cluster)
  await removeLocks(cluster)
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: hasRoomForSocket(cluster) ? selfPath(cluster) : '',
    max_connections: '200',
    timezone: 'UTC',
    ...extra,
  }
  // In its own process group: Ctrl-C in the terminal would otherwise stop it while the hub is still serving requests.
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
  onWait?.()
  const deadline = performance.now() + START_DEADLINE_MS
  while (!ended && performance.now() < deadline) {
    const found = await pidFile(cluster)
    if (found && found.pid === child.pid && found.state === 'ready') return found
    await delay(20)
  }
  const logTail = (await readFile(logPath, 'utf8').catch(() => '')).trim().split('\n').slice(-5).join('\n')
  throw new EmbeddedFault(`The embedded PostgreSQL did not start:\n${logTail}`, { isMade: true })
}

/** The previous port, which surviving processes still use; another one if it is taken. */
async function portFor(cluster: Cluster): Promise<number> {
  const path = join(cluster.home, 'port')
  const kept = Number(await readFile(path, 'utf8').catch(() => ''))
  const port = await freePort(kept).catch(() => freePort(0))
  if (port !== kept) await writeFile(path, String(port), { mode: 0o600 })
  return port
}

/** `wanted`, or any free port for 0; throws if it is taken. */
async function freePort(wanted: number): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(wanted, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise<void>((resolve) => probe.close(() => resolve()))
  if (address === null || typeof address === 'string') throw new Error('No free port was found on 127.0.0.1.')
  return address.port
}

/** False where the process has just ended: one that was killed leaves its pid file. */
function sent(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    return false
  }
}

/**
 * Fast shutdown (SIGINT): open transactions are rolled back, everything committed is kept. Returns once the process has
 * exited.
 */
export async function shutDown(cluster: Cluster, server: Server): Promise<void> {
  if ((await pidFile(cluster))?.pid !== server.pid) return
  if (!sent(server.pid, 'SIGINT')) return
  const deadline = performance.now() + STOP_DEADLINE_MS
  while (await isRunning(server.pid)) {
    if (performance.now() > deadline)
      throw new Error(`PostgreSQL (pid ${server.pid}) did not stop within ${STOP_DEADLINE_MS / 1000} s.`)
    await delay(20)
  }
}
