/** A deployment to break: a PostgreSQL, hubs over it, a store, people with credentials. */
import { mkdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { addUser } from '../../../src/accounts/accounts.ts'
import { addApiKey } from '../../../src/accounts/api-keys.ts'
import { openSession } from '../../../src/accounts/sessions.ts'
import { openAuth } from '../../../src/auth/auth.ts'
import { noViewer } from '../../../src/operation/audit.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { type Db, openDb } from '../../../src/store/db.ts'
import { migrate } from '../../../src/store/migrate.ts'
import { type FreezingProxy, freezingProxy } from '../../store/support/freezing-proxy.ts'
import { hostedCommand } from './hosted-program.ts'
import { type HubProcess, hubProcess } from './hub-process.ts'
import { type LabPostgres, labPostgres } from './postgres.ts'

const secret = 'a secret of more than thirty-two characters'
export const OWNER = 'ada'

export interface LabSettings {
  readonly hubs?: number
  /** Hubs reach the database through it. */
  readonly withProxy?: boolean
  /** Settings of the hubs, over those of the lab. */
  readonly env?: Readonly<Record<string, string>>
  /** Of Node for the hubs, over those of `npm start`. */
  readonly flags?: readonly string[]
  /** Called with the data folder of the hubs before they start; further settings of theirs. */
  readonly prepare?: (dataDir: string) => Readonly<Record<string, string>>
  /** Undoes it once they have stopped. */
  readonly cleanUp?: (dataDir: string) => void
}

interface Credentials {
  /** May train and write. */
  readonly key: string
  /** A second runner's. */
  readonly runner: string
  /** An agent's, whose hosted work a person has to approve. */
  readonly agent: string
  /** The person. */
  readonly session: string
}

export interface Lab {
  readonly folder: string
  /** HUB_DATA_DIR of the hubs, which has their disk store. */
  readonly dataDir: string
  readonly postgres: LabPostgres
  readonly proxy: FreezingProxy | null
  readonly hubs: readonly HubProcess[]
  readonly credentials: Credentials
  /** The recount's own connections: of them no hub knows. */
  readonly db: Db
  /** Resolves when every hub is ready; rejects after `ms`. */
  ready(ms: number): Promise<void>
  close(): Promise<void>
}

/** Those that are not closed yet. */
const openLabs = new Set<AsyncDisposableStack>()

/** For a process that is told to stop: nothing of a lab outlives it. */
export async function closeLabs(): Promise<void> {
  await Promise.all([...openLabs].map((opened) => opened.disposeAsync()))
}

export async function openLab(settings: LabSettings = {}): Promise<Lab> {
  const folder = await mkdtemp(join(tmpdir(), 'hub-reliability-'))
  const dataDir = join(folder, 'data')
  mkdirSync(dataDir, { mode: 0o700 })
  const opened = new AsyncDisposableStack()
  openLabs.add(opened)
  opened.defer(() => void openLabs.delete(opened))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  try {
    opened.defer(() => settings.cleanUp?.(dataDir))
    const prepared = settings.prepare?.(dataDir)
    const postgres = await labPostgres(folder)
    opened.defer(() => postgres.stop())
    await migrate(postgres.url)
    const db = openDb({ url: postgres.url, poolMax: 4 })
    opened.defer(() => db.close())
    const proxy = settings.withProxy ? await freezingProxy(postgres.url) : null
    if (proxy) opened.defer(() => proxy.close())
    const credentials = await people(db, postgres.url)
    const env = {
      DATABASE_URL: proxy?.url ?? postgres.url,
      HUB_SECRET: secret,
      HUB_DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
      RATE_LIMIT_PER_MINUTE: '0',
      ROBOT_CHECK_DAILY_QUOTA: '1000000',
      RUN_DAILY_GPU_HOUR_QUOTA: '1000000',
      STORAGE_QUOTA_BYTES: String(2 ** 50),
      HOSTED_APP_NAME: 'lab',
      HOSTED_BACKEND: 'process',
      HOSTED_COMMAND: hostedCommand(folder),
      HOSTED_UIDS: 'off',
      HOSTED_OWNERS: OWNER,
      ...settings.env,
      ...prepared,
    }
    const hubs: HubProcess[] = []
    for (let at = 0; at < (settings.hubs ?? 1); at += 1) {
      const hub = await hubProcess({ folder, name: `hub-${at + 1}`, env, flags: settings.flags ?? [] })
      opened.defer(() => hub.stop())
      hubs.push(hub)
    }
    await Promise.all(hubs.map((hub) => hub.start()))
    return {
      folder,
      dataDir,
      postgres,
      proxy,
      hubs,
      credentials,
      db,
      async ready(ms) {
        for (const until = performance.now() + ms; ; ) {
          if ((await Promise.all(hubs.map((hub) => hub.isReady()))).every(Boolean)) return
          if (performance.now() > until) throw new Error(`The hubs were not ready within ${ms / 1000} s.`)
          await new Promise((later) => setTimeout(later, 50))
        }
      },
      close: () => opened.disposeAsync(),
    }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

async function people(db: Db, url: string): Promise<Credentials> {
  const config = readConfig({ DATABASE_URL: url, HUB_SECRET: secret })
  const auth = await openAuth({ config, log: pino({ level: 'silent' }), db, secret })
  try {
    return await db.withTx(async (tx) => {
      const ada = await addUser(tx, noViewer, { handle: OWNER })
      const key = async (name: string, more: { agent?: boolean } = {}) =>
        (
          await addApiKey({
            tx,
            ctx: noViewer,
            owner: { ...ada },
            createdBy: null,
            input: { name, scope: 'train', ...more },
          })
        ).token
      return {
        key: await key('key'),
        runner: await key('runner'),
        agent: await key('agent', { agent: true }),
        session: (await openSession({ auth, tx, ctx: noViewer, user: ada, ttlSeconds: 30 * 86_400 })).token,
      }
    })
  } finally {
    await auth.close()
  }
}
