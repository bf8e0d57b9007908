/** Hub and runner processes are killed during a run: every line and metric still arrives once, in order. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addUser } from '../../src/accounts/accounts.ts'
import { addApiKey } from '../../src/accounts/api-keys.ts'
import { createHubClient, type RunEvent } from '../../src/client/index.ts'
import { noViewer } from '../../src/operation/audit.ts'
import { testDb } from '../support/database.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const database = testDb()
const children = new Set<ChildProcess>()
let base: string
let url: string
let token: string

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-restart-'))
  url = `http://127.0.0.1:${await freePort()}`
  token = await database.db.withTx(async (tx) => {
    const ada = await addUser(tx, noViewer, { handle: 'ada' })
    return (await addApiKey(tx, noViewer, { ...ada }, null, { name: 'box', scope: 'train' })).token
  })
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await rm(base, { recursive: true, force: true })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function node(args: readonly string[], env: Record<string, string>): ChildProcess {
  const kept = { PATH: process.env.PATH ?? '', HOME: base }
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...kept, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

async function startHub(): Promise<ChildProcess> {
  const child = node(['src/main.ts'], {
    PORT: new URL(url).port,
    HOST: '127.0.0.1',
    DATABASE_URL: database.url,
    HUB_SECRET: 'a secret of more than thirty-two characters',
    HUB_DATA_DIR: join(base, 'data'),
    LOG_LEVEL: 'fatal',
    RATE_LIMIT_PER_MINUTE: '0',
  })
  child.stdout?.resume()
  await expect.poll(isReady, { timeout: 60_000, interval: 100 }).toBe(true)
  return child
}
const isReady = () =>
  fetch(`${url}/readyz`).then(
    (answer) => answer.ok,
    () => false,
  )

function startRunner(command: string): ChildProcess {
  const args = ['src/cli/hub.ts', 'runner', '--owner', 'ada', '--once', '--json', '--work-dir', join(base, 'runs')]
  return node([...args, '--command', command], { HUB_URL: url, HUB_TOKEN: token })
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

const LINES = 500
const script = `
import { appendFileSync } from 'node:fs'
for (let iteration = 1; iteration <= ${LINES}; iteration += 1) {
  console.log('line ' + iteration)
  appendFileSync('metrics.jsonl', JSON.stringify({ iteration, reward: iteration }) + '\\n')
  await new Promise((done) => setTimeout(done, 20))
}
`

it('loses and duplicates nothing if hub and runner are killed in turn', { timeout: 120_000 }, async () => {
  const trainer = join(base, 'train.mjs')
  await writeFile(trainer, script)
  const firstHub = await startHub()
  const retry = { attempts: 100, baseMs: 50, maxMs: 500, random: Math.random }
  const client = createHubClient({ url, token, retry })
  const { id } = await client.runs.create({ recipe: { template: 'act', dataset: [] } })
  const seen: RunEvent[] = []
  const following = (async () => {
    for await (const event of client.runs.follow(id, { follow: true })) seen.push(event)
  })()
  const lines = () => seen.flatMap((event) => (event.kind === 'log' && event.stream === 'stdout' ? [event.line] : []))

  const firstRunner = startRunner(`node ${trainer}`)
  await expect.poll(() => lines().length, { timeout: 30_000 }).toBeGreaterThan(20)
  await kill(firstHub)
  await new Promise((resolve) => setTimeout(resolve, 1000))
  const before = lines().length
  const secondHub = await startHub()
  await expect.poll(() => lines().length, { timeout: 30_000 }).toBeGreaterThan(before)
  await kill(firstRunner)
  const secondRunner = startRunner('echo a second command')
  let said = ''
  secondRunner.stdout?.on('data', (chunk) => {
    said += chunk
  })
  // `exit` may come before the last output.
  const [code] = await once(secondRunner, 'close')
  expect([code, JSON.parse(said)]).toEqual([0, { run: id, status: 'succeeded', error: null }])
  await following
  const all = Array.from({ length: LINES }, (_, n) => n + 1)
  expect(lines()).toEqual(all.map((n) => `line ${n}`))
  expect(seen.flatMap((event) => (event.kind === 'metric' ? [event.line.iteration] : []))).toEqual(all)
  expect(seen.at(-1)).toMatchObject({ kind: 'end', status: 'succeeded' })
  const again: number[] = []
  for await (const event of client.runs.follow(id, { follow: false }))
    if (event.kind === 'metric') again.push(Number(event.line.iteration))
  expect(again).toEqual(all)
  await kill(secondHub)
})
