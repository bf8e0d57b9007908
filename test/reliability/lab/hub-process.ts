/** A hub as a process of its own, under an address that it keeps when it is started again. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../support/free-port.ts'
import { send } from './send.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const READY_MS = 120_000

export interface HubProcess {
  readonly url: string
  readonly pid: number
  /** Starts the process; resolves when it is ready. */
  start(): Promise<void>
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>
  /** SIGTERM; resolves when it is gone. */
  stop(): Promise<void>
  isReady(): Promise<boolean>
}

export interface HubProcessSettings {
  readonly folder: string
  readonly name: string
  readonly env: Readonly<Record<string, string>>
  /** Of Node, next to those of `npm start`. */
  readonly flags: readonly string[]
}

export async function hubProcess({ folder, name, env, flags }: HubProcessSettings): Promise<HubProcess> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess | null = null
  const isReady = () =>
    send({ method: 'GET', url: new URL('/readyz', url), silentMs: 10_000 }).then(
      ({ status }) => status === 200,
      () => false,
    )
  async function end(signal: NodeJS.Signals): Promise<void> {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill(signal)
    await gone
  }
  return {
    url,
    get pid() {
      return child?.pid ?? 0
    },
    async start() {
      const log = openSync(join(folder, `${name}.log`), 'a')
      child = spawn(process.execPath, ['--max-semi-space-size=64', ...flags, 'src/main.ts'], {
        cwd: root,
        // Nothing of this process's environment but where programs are.
        env: { PATH: process.env.PATH ?? '', HOME: folder, ...env, PORT: String(port), HOST: '127.0.0.1' },
        stdio: ['ignore', log, log],
      })
      closeSync(log)
      for (const until = performance.now() + READY_MS; performance.now() < until; await delay(100)) {
        if (await isReady()) return
        if (child.exitCode !== null) throw new Error(`The hub ended; ${join(folder, `${name}.log`)} says why.`)
      }
      throw new Error(`The hub was not ready within ${READY_MS / 1000} s.`)
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    isReady,
  }
}
