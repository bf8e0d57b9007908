// @module-tag long
/** A check worker is killed at each of its steps and started again: the hub sees one claim, one report and one set of artifacts. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerCheckWorkerCommand } from '../../packages/cli/src/check-worker-command.ts'
import { runCommandLine } from '../support/command-line.ts'
import { contractHub, type Json, type Person } from '../support/hub.ts'
import { type Exchange, type HoldingProxy, holdingProxy } from './support/holding-proxy.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const hub = contractHub()
let base: string
let ada: Person
let proxy: HoldingProxy
let env: Record<string, string>

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-killed-worker-'))
  ada = await hub.person()
  proxy = await holdingProxy(hub.running.url)
  const [PATH, HUB_TOKEN] = [process.env.PATH ?? '', await hub.key(ada)]
  env = { PATH, HUB_URL: proxy.url, HUB_TOKEN, HOME: base, HUB_CHROMIUM: 'off' }
})
afterAll(async () => {
  await proxy?.close()
  await rm(base, { recursive: true, force: true })
})

const ball = '<worldbody><body><freejoint/><geom size=".1"/></body></worldbody>'
const files = { 'ball.xml': `<mujoco>${ball}</mujoco>`, 'notes.txt': 'Notes.'.repeat(1000) }

async function queue(): Promise<string> {
  const name = await hub.repo(ada, { kind: 'robot' })
  await hub.upload(ada, name, files)
  const asked = { kind: 'robot', robot_repo: name, entry: 'ball.xml', control_hz: 50, action: 'torque' }
  return (await hub.call(ada, 'POST', '/v1/robot-checks', { ...asked, executor: 'worker' })).json.id
}
const get = async (id: string): Promise<Json> => (await hub.call(ada, 'GET', `/v1/robot-checks/${id}`)).json

/** A process of its own, killed when the proxy holds what `at` names. */
async function killedWorker(workDir: string, at: (exchange: Exchange) => boolean): Promise<void> {
  const held = proxy.hold(at)
  const args = ['src/operator/hub.ts', 'check-worker', '--once', '--work', workDir]
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: 'ignore' })
  try {
    await held
  } finally {
    child.kill('SIGKILL')
    await once(child, 'exit')
    proxy.release()
  }
}

const startAgain = (workDir: string) =>
  runCommandLine(
    (program, io) => registerCheckWorkerCommand(program, io, { intervalMs: 50, graceMs: 500 }),
    ['check-worker', '--once', '--json', '--work', workDir],
    env,
  )

const isClaim = ({ path }: Exchange) => path.endsWith('/claim-next')
const isSource = ({ method, path }: Exchange) => method === 'GET' && path.startsWith('/objects')
const isReport = ({ path }: Exchange) => path.endsWith('/report')
const isLast = (exchange: Exchange) => isReport(exchange) && exchange.body.includes('"status":')
const isAnswered = ({ status }: Exchange) => status !== null

const whileEngineRuns = (one: Exchange) => isReport(one) && one.body.includes('ball.xml: a model of 1 file')

const steps: readonly [string, (exchange: Exchange) => boolean][] = [
  ['after the claim, before its answer', (one) => isClaim(one) && isAnswered(one)],
  ['in the middle of the download', (one) => isSource(one) && isAnswered(one)],
  ['while the engine runs', whileEngineRuns],
  ['between upload and report', (one) => isLast(one) && !isAnswered(one)],
  ['after the report, before its answer', (one) => isLast(one) && isAnswered(one)],
]

describe('a check worker that is killed', () => {
  it.each(steps)('%s ends the check once when it is started again', async (_, at) => {
    const workDir = await mkdtemp(join(base, 'work-'))
    const id = await queue()
    proxy.answered.length = 0
    await killedWorker(workDir, at)
    expect(['running', 'succeeded']).toContain((await get(id)).status)
    const ended = await startAgain(workDir)
    expect([ended.code, JSON.parse(ended.out)]).toEqual([0, { check: id, status: 'succeeded', error: null }])
    const check = await get(id)
    expect([check.status, check.report.ok]).toEqual(['succeeded', true])
    expect(check.artifacts.map(({ path }: Json) => path)).toEqual(['robot_card.json'])
    expect(check.draft.card.validation.check_id).toBe(id)
    const took = (of: (exchange: Exchange) => boolean) =>
      proxy.answered.filter((one) => of(one) && one.status === 200 && !one.isReplay)
    expect([took(isClaim).length, took(isLast).length]).toEqual([1, 1])
    const rows = await hub.sql<{ name: string }>('select name from robot_check_artifacts where check_id = $1', [id])
    expect(rows).toEqual([{ name: 'robot_card.json' }])
    // Killed behind its last line, it does the work again and says so again; what it sent once is stored once.
    const sent = took(isReport).flatMap(({ body }) => JSON.parse(body).log_chunk?.match(/^done: /gm) ?? [])
    expect(check.log_tail.match(/^done: /gm)).toEqual(sent)
    expect(at === whileEngineRuns ? [1, 2] : [1]).toContain(sent.length)
    expect((await readdir(workDir)).filter((name) => name.startsWith('check_'))).toEqual([])
  })

  it('leaves a check alone that was canceled meanwhile', async () => {
    const workDir = await mkdtemp(join(base, 'work-'))
    const id = await queue()
    await killedWorker(workDir, (one) => isSource(one) && isAnswered(one))
    await hub.call(ada, 'POST', `/v1/robot-checks/${id}/cancel`)
    const ended = await startAgain(workDir)
    expect([ended.code, JSON.parse(ended.out)]).toMatchObject([1, { check: id, status: 'lost' }])
    expect((await get(id)).status).toBe('canceled')
    expect((await readdir(workDir)).filter((name) => name.startsWith('check_'))).toEqual([])
  })
})
