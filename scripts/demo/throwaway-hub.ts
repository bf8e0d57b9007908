/** A temporary hub for a demo or benchmark: a child process on a free port, with a temporary data directory. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../..', import.meta.url))
const READY_WITHIN_MS = 240_000

export interface ThrowawayHub {
  readonly url: string
  readonly dir: string
  readonly pid: number
  /** Runs an operator command and returns the object it prints. */
  operator(...args: string[]): Promise<Record<string, unknown>>
  close(): Promise<void>
}

/**
 * Starts it as `npm start` would, with `settings` on top of the defaults, and waits until it is ready; rejects with its
 * last output if it does not become so.
 */
export async function startThrowawayHub(settings: Readonly<Record<string, string>> = {}): Promise<ThrowawayHub> {
  const dir = await mkdtemp(join(tmpdir(), 'hub-demo-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const env = {
    ...inherited(),
    PORT: String(port),
    HOST: '127.0.0.1',
    HUB_DATA_DIR: join(dir, 'data'),
    LOG_LEVEL: 'warn',
    ...settings,
  }
  const child = spawn(process.execPath, await startArguments(), { cwd: root, env, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4000)
  })
  const ended = once(child, 'exit')
  const close = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM')
      await Promise.race([ended, delay(15_000, undefined, { ref: false })])
      child.kill('SIGKILL')
    }
    await rm(dir, { recursive: true, force: true })
  }
  const deadline = performance.now() + READY_WITHIN_MS
  while (!(await answers(`${url}/readyz`))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      await close()
      throw new Error(`The hub did not become ready.\n${said}`)
    }
    await delay(50)
  }
  return {
    url,
    dir,
    pid: child.pid ?? 0,
    close,
    async operator(...args) {
      const options = { cwd: root, env, maxBuffer: 4_194_304 }
      const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'hub', '--', ...args, '--json'], options)
      return JSON.parse(stdout) as Record<string, unknown>
    },
  }
}

/** The node options of `npm start`. */
async function startArguments(): Promise<string[]> {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { scripts: { start: string } }
  return scripts.start.replace(/^.*exec node /, '').split(' ')
}

/** The environment without settings that would select another hub, database or store. */
function inherited(): NodeJS.ProcessEnv {
  const foreign = /^(HUB_|S3_|OIDC_|DATABASE_|OBJECT_STORE$|PUBLIC_URL$|PORT$|HOST$|STORAGE_QUOTA|GC_|UPLOAD_)/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)))
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    (response) => response.ok,
    () => false,
  )
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
