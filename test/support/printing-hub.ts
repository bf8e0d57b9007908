/** A hub as a process of its own whose output a test reads, as an operator reads it at a first start. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { testDb } from './database.ts'
import { freePort } from './free-port.ts'

const program = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/** Runs before the tests of the file; it and its folder are gone after them. `settings` come on top of the usual. */
export function printingHub(settings: Readonly<Record<string, string>>) {
  const database = testDb()
  let running: ChildProcess | undefined
  const hub = {
    database,
    /** A folder of its own. */
    dir: '',
    url: '',
    /** Both outputs since the last start. */
    printed: '',
    /** With which the command line of the operator finds it too. */
    settings: (): Record<string, string> => ({
      HOME: hub.dir,
      HUB_DATA_DIR: hub.dir,
      DATABASE_URL: database.url,
      HUB_SECRET: 'a secret of more than thirty-two characters',
      PASSWORD_COST: '14',
      ...settings,
    }),
    async start() {
      hub.printed = ''
      const env = {
        ...hub.settings(),
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        PORT: new URL(hub.url).port,
      }
      running = spawn(process.execPath, [program], { env, cwd: hub.dir })
      for (const stream of [running.stdout, running.stderr])
        stream?.setEncoding('utf8').on('data', (text: string) => {
          hub.printed += text
        })
      await vi.waitFor(() => expect(hub.printed).toContain('    data '), 100_000)
    },
    async stop() {
      if (!running || running.exitCode !== null) return
      running.kill('SIGTERM')
      await once(running, 'exit')
    },
  }
  beforeAll(async () => {
    hub.dir = await mkdtemp(join(tmpdir(), 'hub-printing-'))
    hub.url = `http://127.0.0.1:${await freePort()}`
    await hub.start()
  })
  afterAll(async () => {
    await hub.stop()
    if (hub.dir !== '') await rm(hub.dir, { recursive: true, force: true })
  })
  return hub
}
