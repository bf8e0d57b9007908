/** A hub as a process of its own, which a test kills and starts again under its address, and the processes next to it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { afterAll, beforeAll, expect } from 'vitest'
import { addUser } from '../../src/accounts/accounts.ts'
import { addApiKey } from '../../src/accounts/api-keys.ts'
import { findAccount } from '../../src/accounts/find-account.ts'
import { openSession } from '../../src/accounts/sessions.ts'
import { openAuth } from '../../src/auth/auth.ts'
import { noViewer } from '../../src/operation/audit.ts'
import { readConfig } from '../../src/platform/config.ts'
import { testDb } from './database.ts'
import { freePort } from './free-port.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const secret = 'a secret of more than thirty-two characters'

/**
 * With a database, a folder, the user `ada` and a train key of hers; all of it, and every process, is gone after the tests of the file. `settings` are
 * added to those of each hub.
 */
export function killableHub(settings: Readonly<Record<string, string>> = {}) {
  const database = testDb()
  const children = new Set<ChildProcess>()
  const made = { base: '', url: '', token: '' }

  beforeAll(async () => {
    made.base = await mkdtemp(join(tmpdir(), 'hub-killable-'))
    made.url = `http://127.0.0.1:${await freePort()}`
    made.token = await database.db.withTx(async (tx) => {
      const ada = await addUser(tx, noViewer, { handle: 'ada' })
      return (
        await addApiKey({
          tx,
          ctx: noViewer,
          owner: { ...ada },
          createdBy: null,
          input: { name: 'box', scope: 'train' },
        })
      ).token
    })
  })
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL')
    if (made.base !== '') await rm(made.base, { recursive: true, force: true })
  })

  const isReady = (url: string) =>
    fetch(`${url}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    )

  /** Is killed after the tests at the latest. */
  function attend(child: ChildProcess): ChildProcess {
    children.add(child)
    child.once('exit', () => children.delete(child))
    return child
  }

  /** Node in the checkout's folder, with nothing of this process's environment but where programs and compiled code are. */
  function node(args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
    const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
    const kept = { PATH, NODE_COMPILE_CACHE, HOME: made.base }
    return attend(
      spawn(process.execPath, args, { cwd: root, env: { ...kept, ...env }, stdio: ['ignore', 'pipe', 'inherit'] }),
    )
  }

  /**
   * Resolves when the hub is ready. Hubs at several addresses share the database and the folder. `options` are Node's,
   * and `own` are settings of this one.
   */
  async function start(
    url = made.url,
    options: readonly string[] = [],
    own: Readonly<Record<string, string>> = {},
  ): Promise<ChildProcess> {
    const child = node([...options, 'src/main.ts'], {
      PORT: new URL(url).port,
      HOST: '127.0.0.1',
      DATABASE_URL: database.url,
      HUB_SECRET: secret,
      HUB_DATA_DIR: join(made.base, 'data'),
      LOG_LEVEL: 'fatal',
      RATE_LIMIT_PER_MINUTE: '0',
      ...settings,
      ...own,
    })
    child.stdout?.resume()
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null
    // As long as a test: beside others on a busy machine a process needs more than a hundred seconds to start.
    const ready = async () => ((await isReady(url)) ? 'ready' : hasEnded() ? 'ended' : 'starting')
    await expect.poll(ready, { timeout: 300_000, interval: 100 }).not.toBe('starting')
    if (hasEnded()) throw new Error(`The hub ended with ${child.signalCode ?? child.exitCode} before it was ready.`)
    return child
  }

  /** The token of a session of hers. */
  async function signIn(): Promise<string> {
    const config = readConfig({ DATABASE_URL: database.url, HUB_SECRET: secret })
    const auth = await openAuth({ config, log: pino({ level: 'silent' }), db: database.db, secret })
    const { token } = await database.db.withTx(async (tx) =>
      openSession({ auth, tx, ctx: noViewer, user: await findAccount(tx, 'ada'), ttlSeconds: 3600 }),
    )
    await auth.close()
    return token
  }

  return { database, made, attend, node, start, signIn }
}

/** Whether it has not ended. */
export const isThere = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null

/** Resolves when the process is gone. */
export async function kill(child: ChildProcess): Promise<void> {
  if (!isThere(child)) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

/** Resolves when it has stopped in order, with all its processes. */
export async function stop(child: ChildProcess): Promise<void> {
  if (!isThere(child)) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  await gone
}
