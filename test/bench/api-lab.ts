/** The servers that the bench of the API compares, each a process of its own over one database. */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, openSync, rmSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { type Db, openDb } from '../../src/store/db.ts'
import { startEmbeddedPostgres } from '../../src/store/embedded-postgres.ts'
import { migrate } from '../../src/store/migrate.ts'
import { CONNECTIONS, newNames, seed } from './api-seed.ts'
import { type Crowd, crowdOf } from './crowd.ts'
import { databaseTimes, groupTimes, spentMs, threadTimes } from './processor-time.ts'

/**
 * `fair` is by hand with every duty of the hub, `bare` by hand with few of them; `other` is the hub of another checkout,
 * over a database of its own; `workers` is this hub in several processes on one port, and `apart` are as many hubs of
 * one process, between which the connections are divided evenly; `half` is `hub` itself, for what it is also asked.
 */
export type ServerName = 'hub' | 'half' | 'fair' | 'bare' | 'postgraphile' | 'other' | 'workers' | 'apart'

const programs: Readonly<Record<ServerName, string>> = {
  hub: './hub-process.ts',
  half: './hub-process.ts',
  fair: './by-hand/server.ts',
  bare: './by-hand/bare-server.ts',
  postgraphile: './postgraphile.ts',
  other: './hub-process.ts',
  workers: './hub-workers.ts',
  apart: './hub-workers.ts',
}

/** One request of a row. */
export interface Ask {
  /** From how many connections it comes at a time; 8 if nothing is said. */
  readonly connections?: number
  /** A function makes the path of a connection. */
  readonly path: string | ((connection: number) => string)
  /** Sent as JSON by POST; absent: GET. A function makes the body of the n-th request. */
  readonly body?: object | ((n: number) => object)
  /** Sent by PUT to a signed path, which needs no other credential. */
  readonly bytes?: Uint8Array
  /** Codings that the client decodes. */
  readonly encoding?: string
  /** Media types that it takes. */
  readonly accept?: string
}

/** Milliseconds of processor time of one request. */
export interface Cost {
  readonly server: number
  readonly database: number
}

/** Makes the requests of a batch; `ask` sends what comes before them. */
export type Prepare = (ask: (ask: Ask) => Promise<string>) => Promise<readonly Ask[]>

export interface Lab {
  /** A run that has ended. */
  readonly runId: string
  /** Runs that the key holds, one for each connection. */
  readonly heldRunIds: readonly string[]
  /** The text of a good answer; rejects otherwise. An error of the graph comes with 200 as well. */
  ask(server: ServerName, ask: Ask, from?: Sender): Promise<string>
  /** Sends requests for `ms` from connections that stay. */
  load(server: ServerName, ask: Ask, ms: number): Promise<Cost>
  /** Sends each request once, as many at a time; the requests are made by `prepare`, whose time does not count. */
  batch(server: ServerName, prepare: Prepare): Promise<Cost>
  /** Of one of the things that `work` does, of which it says how many there were. */
  cost(server: ServerName, work: () => Promise<number>): Promise<Cost>
  /** Opens so many streams of a log, and waits until what the log has already is there. */
  follow(server: ServerName, ask: Ask, count: number): Promise<Crowd>
  close(): Promise<void>
}

/** Who sends: where it has no connection, one is made. */
interface Sender {
  readonly agent?: Agent
  readonly connection: number
}

/** PostGraphile installs itself the first time. */
const START_MS = 300_000

/** Connections are spread over its addresses. */
interface Server {
  readonly urls: readonly string[]
  readonly pids: readonly number[]
}

interface LabOptions {
  /** Another checkout. */
  readonly other?: string | null
  /** How many processes `workers` has, and `apart` hubs; `hub` is then started in the same way, with one. */
  readonly workers?: number | null
}

/** A database with the rows of `api-seed.ts`; each server starts when it is first asked. */
export async function openLab({ other = null, workers = null }: LabOptions = {}): Promise<Lab> {
  const dir = mkdtempSync(join(tmpdir(), 'hub-bench-'))
  const postgres = await startEmbeddedPostgres({ dataDir: dir, log: pino({ level: 'silent' }) })
  await migrate(postgres.url)
  const db = openDb({ url: postgres.url, poolMax: 4, statementTimeoutMs: 600_000 })
  const names = newNames()
  const { token, runIds, heldRunIds } = names
  await seed(db, names)
  const checkout = other === null ? null : resolve(other)
  const otherUrl = checkout === null ? '' : await seedOther(checkout, postgres.url, names)
  const children: ChildProcess[] = []
  const started = new Map<ServerName, Promise<Server>>()

  const serverOf = (asked: ServerName): Promise<Server> => {
    const name = asked === 'half' ? 'hub' : asked
    const known = started.get(name)
    if (known) return known
    const isOther = name === 'other'
    const env = { DATABASE_URL: isOther ? otherUrl : postgres.url, ...(isOther && { BENCH_CHECKOUT: checkout ?? '' }) }
    const count = (of: ServerName) => String(name === of ? workers : 1)
    const several = workers !== null && { WORKERS: count('workers'), BENCH_APART: count('apart') }
    const child = startProcess(name, dir, { ...env, ...several })
    children.push(child)
    const server = addressOf(name, child)
    started.set(name, server)
    return server
  }

  const cost: Lab['cost'] = async (name, work) => {
    const { pids } = await serverOf(name)
    const timesOf = workers === null ? threadTimes : groupTimes
    const times = () => new Map(pids.flatMap((pid) => [...timesOf(pid)]))
    const before = [times(), databaseTimes(postgres.pid)] as const
    const count = await work()
    const server = spentMs(before[0], times()) / count
    const database = spentMs(before[1], databaseTimes(postgres.pid)) / count
    return { server, database }
  }

  /** Of what all connections send; each says how many requests it sent. */
  const costOf = async (
    name: ServerName,
    sendAll: (from: Sender) => Promise<number>,
    count = CONNECTIONS,
  ): Promise<Cost> => {
    const agent = new Agent({ keepAlive: true, maxSockets: count })
    const spent = await cost(name, async () => {
      const connections = Array.from({ length: count }, (_, connection) => sendAll({ agent, connection }))
      return (await Promise.all(connections)).reduce((sum, count) => sum + count, 0)
    })
    agent.destroy()
    return spent
  }

  const lab: Lab = {
    runId: runIds[0] ?? '',
    heldRunIds,
    async ask(name, ask, from = { connection: 0 }) {
      return send(addressFor(await serverOf(name), from), token, ask, from)
    },
    async load(name, ask, ms) {
      const until = performance.now() + ms
      const sendAll = async (from: Sender) => {
        let requests = 0
        for (; performance.now() < until; requests += 1) await lab.ask(name, ask, from)
        return requests
      }
      return costOf(name, sendAll, ask.connections)
    },
    async batch(name, prepare) {
      const asks = [...(await prepare((ask) => lab.ask(name, ask)))]
      const cost = await costOf(name, async (from) => {
        let requests = 0
        for (let ask = asks.pop(); ask; ask = asks.pop(), requests += 1) await lab.ask(name, ask, from)
        return requests
      })
      await forgetUploads(db)
      return cost
    },
    cost,
    follow: async (name, ask, count) => crowdOf(addressFor(await serverOf(name)), token, ask, count),
    async close() {
      for (const child of children) child.kill('SIGTERM')
      await db.close()
      // A profile is written at the end of its process.
      if (process.env.BENCH_HUB_FLAGS) await pause(4000)
      await postgres.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
  return lab
}

/** An account has a limit of open uploads, which a bench would reach. */
async function forgetUploads(db: Db): Promise<void> {
  await db.query({ name: '', text: 'delete from uploads' })
  await db.query({ name: '', text: 'update accounts set reserved_bytes = 0, pending_uploads = 0' })
}

/** A database beside the first one, with the schema of another checkout and the same rows. */
async function seedOther(root: string, firstUrl: string, names: Parameters<typeof seed>[1]): Promise<string> {
  const migrations = (await import(join(root, 'src/store/migrate.ts'))) as { migrate: typeof migrate }
  const first = openDb({ url: firstUrl, poolMax: 1 })
  await first.query({ name: '', text: 'create database other' })
  await first.close()
  const url = new URL(firstUrl)
  url.pathname = '/other'
  await migrations.migrate(url.href)
  const db = openDb({ url: url.href, poolMax: 1, statementTimeoutMs: 600_000 })
  await seed(db, names)
  await db.close()
  return url.href
}

function startProcess(name: ServerName, dir: string, own: Readonly<Record<string, string>>): ChildProcess {
  const program = 'WORKERS' in own ? programs.workers : programs[name]
  const env = {
    ...process.env,
    ...own,
    HUB_SECRET: 'bench-secret-bench-secret-bench-secret',
    HUB_DATA_DIR: join(dir, name),
    RATE_LIMIT_PER_MINUTE: '100000000',
    // One account has the whole processor.
    ACCOUNT_PROCESSOR_S: '0',
    WRITTEN_BYTES_PER_DAY: '0',
    PORT: '0',
    GRAPHILE_ENV: 'production',
  }
  return fork(fileURLToPath(new URL(program, import.meta.url)), {
    env,
    execArgv: ['--max-semi-space-size=64', ...(process.env.BENCH_HUB_FLAGS?.split(' ') ?? [])],
    stdio: ['ignore', openSync(join(dir, `${name}.log`), 'a'), 'inherit', 'ipc'],
  })
}

async function addressOf(name: ServerName, child: ChildProcess): Promise<Server> {
  const { promise, resolve, reject } = Promise.withResolvers<Server>()
  child.once('message', (message) => {
    const told = message as Server | { url: string }
    resolve('url' in told ? { urls: [told.url], pids: [child.pid ?? 0] } : told)
  })
  child.once('exit', (code) => reject(new Error(`the server ${name} ended with ${code}`)))
  const late = setTimeout(() => reject(new Error(`the server ${name} did not start`)), START_MS)
  return promise.finally(() => clearTimeout(late))
}

const addressFor = ({ urls }: Server, { connection } = { connection: 0 }) => urls[connection % urls.length] ?? ''

let sent = 0

function send(url: string, token: string, ask: Ask, { agent, connection }: Sender): Promise<string> {
  const path = typeof ask.path === 'string' ? ask.path : ask.path(connection)
  sent += 1
  const body = typeof ask.body === 'function' ? ask.body(sent) : ask.body
  const headers = {
    ...(ask.bytes ? { 'content-length': ask.bytes.byteLength } : { authorization: `Bearer ${token}` }),
    ...(body && { 'content-type': 'application/json' }),
    ...(ask.encoding && { 'accept-encoding': ask.encoding }),
    ...(ask.accept && { accept: ask.accept }),
  }
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const options = { agent, headers, method: ask.bytes ? 'PUT' : body ? 'POST' : 'GET' }
  const request = httpRequest(`${url}${path}`, options, (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      if (response.statusCode === 200 && !text.includes('"errors":')) resolve(text)
      else reject(new Error(`${path}: ${response.statusCode} ${text.slice(0, 600)}`))
    })
  })
  request.on('error', reject)
  request.end(ask.bytes ?? (body && JSON.stringify(body)))
  return promise
}
