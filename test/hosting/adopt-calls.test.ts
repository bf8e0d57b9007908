/** Calls outlive a hub that was killed: the next one on the same data directory looks after them, and starts what was never started. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCheck } from '../../src/checks/create/create-check.ts'
import { dispatchWaitingChecks } from '../../src/checks/dispatch/dispatch-check.ts'
import { openCallNotes } from '../../src/hosting/call-notes.ts'
import { openHostedPlaces } from '../../src/hosting/hosted-places.ts'
import { adoptCalls } from '../../src/jobs/sweeps.ts'
import type { Deps, RequestContext } from '../../src/operation/context.ts'
import { readConfig } from '../../src/platform/config.ts'
import { dispatchWaiting } from '../../src/runs/dispatch/dispatch-run.ts'
import { processMark } from '../../src/store/start-lock.ts'
import { testDb } from '../support/database.ts'
import { putRun } from '../support/runs.ts'
import { makeWorld, type World, type WorldRepo } from '../support/world.ts'

const t = testDb()
const dir = mkdtempSync(join(tmpdir(), 'hub-adopt-'))
const config = readConfig({
  HOSTED_APP_NAME: 'coach',
  HOSTED_OWNERS: '*',
  HOSTED_COMMAND: 'sleep 1000',
  HUB_DATA_DIR: dir,
})
const log = pino({ level: 'silent' })
const patiently = { timeout: 20_000, interval: 25 }
let world: World
let ada: RequestContext
let robot: WorldRepo

beforeAll(async () => {
  world = await makeWorld({ db: t.db, config: { hosted: config.hosted, dataDir: dir, publicUrl: 'http://hub.test' } })
  const account = await world.user()
  ada = world.as(account)
  robot = await world.repo(account, { kind: 'robot' })
  await world.upload(ada, robot, 'arm.xml', Buffer.from('<mujoco/>'))
})
afterAll(async () => {
  await world?.close()
  rmSync(dir, { recursive: true, force: true })
})

/** A hub on the data directory: what of it is beside its processes. */
async function nextHub(): Promise<Deps> {
  return { ...world.deps, hosted: await openHostedPlaces(config, log) }
}

async function hostedCheck(): Promise<string> {
  const robotRepo = `${robot.owner}/${robot.repo}`
  const request = {
    kind: 'robot',
    robotRepo,
    entry: 'arm.xml',
    controlHz: 50,
    action: 'position',
    executor: 'hosted',
  } as const
  return (await createCheck(ada, request)).id
}
const rowOf = async (id: string) => {
  const [row] = await world.sql<{ status: string; call: string | null; error: string | null; cost: number | null }>(
    `select status::text, hosted_call_id as call, error, cost_usd::float8 as cost from robot_checks where id = $1`,
    [id],
  )
  if (!row) throw new Error('There is no check.')
  return row
}
const notes = openCallNotes(dir)
const pidOf = async (call: string | null) => Number.parseInt((await notes.read(call ?? ''))?.mark ?? '', 10)

/** A check whose process is at work, and whose hub was killed. */
async function leftBehind() {
  const id = await hostedCheck()
  const call = `call_of_${id}`
  const child = spawn('sleep', ['1000'], { stdio: 'ignore', detached: true })
  await once(child, 'spawn')
  const pid = child.pid ?? 0
  await notes.write(call, { jobId: id, mark: await processMark(pid), folder: null, isStarting: false })
  await recorded(id, call)
  return { id, call, pid }
}
const recorded = (id: string, call: string) =>
  world.sql(
    `update robot_checks set hosted_call_id = $2, hosted_credential = 'key_x', dispatched_at = now() where id = $1`,
    [id, call],
  )

describe('a call of a hub that was killed', () => {
  it.each([
    [
      'before its check is claimed',
      false,
      'The hosted function could not be started: its process ended while the hub was down.',
      null,
    ],
    [
      'after its check is claimed',
      true,
      'The hosted function ended without a report: its process ended while the hub was down.',
      expect.any(Number),
    ],
  ])('whose process ended %s ends the check at the next start', async (_when, isClaimed, error, cost) => {
    const id = await hostedCheck()
    const call = `call_of_${id}`
    await notes.write(call, { jobId: id, mark: '99999999 of another time', folder: null, isStarting: false })
    await recorded(id, call)
    if (isClaimed)
      await world.sql(
        `update robot_checks set status = 'running', attempt = 1, claim_credential = 'key_x', claimed_at = now() - interval '1 minute' where id = $1`,
        [id],
      )
    const deps = await nextHub()
    await adoptCalls(deps)
    expect(await rowOf(id)).toMatchObject({ status: 'failed', error, cost: cost ?? 0 })
    expect(await world.sql('select 1 from repo_references where referrer_id = $1', [id])).toEqual([])
    expect(await notes.list()).not.toContain(call)
    await deps.hosted.close()
  })

  it('whose process is still at work keeps its place until that ends, and then ends its check', async () => {
    const { id, call, pid } = await leftBehind()
    const deps = await nextHub()
    await adoptCalls(deps)
    expect([(await rowOf(id)).status, await notes.list()]).toEqual(['queued', [call]])
    process.kill(-pid, 'SIGKILL')
    await expect.poll(async () => (await rowOf(id)).status, patiently).toBe('failed')
    await expect.poll(() => readdirSync(join(dir, 'hosted')), patiently).toEqual([])
    await deps.hosted.close()
  })

  it('that was noted and never started is neither lost nor doubled: its check is started by the next hub', async () => {
    const id = await hostedCheck()
    const call = `call_of_${id}`
    await notes.write(call, { jobId: id, mark: '99999999 of a hub', folder: null, isStarting: true })
    await recorded(id, call)
    await world.sql(`update robot_checks set created_at = now() - interval '2 minutes' where id = $1`, [id])
    const deps = await nextHub()
    await adoptCalls(deps)
    expect(await rowOf(id)).toMatchObject({ status: 'queued', call: null })
    await Promise.all([dispatchWaitingChecks(deps), dispatchWaitingChecks(deps)])
    const started = await rowOf(id)
    expect([started.status, started.call]).toEqual(['queued', expect.stringMatching(/^call_[0-9a-f]{32}$/)])
    expect(await notes.list()).toEqual([started.call])
    process.kill(-(await pidOf(started.call)), 'SIGKILL')
    await expect.poll(async () => (await rowOf(id)).status, patiently).toBe('failed')
    await expect.poll(() => notes.list(), patiently).toEqual([])
    await deps.hosted.close()
  })

  it('of which nothing is known has failed when it has not claimed its job for an hour, be it a check or a run', async () => {
    const deps = await nextHub()
    const check = await hostedCheck()
    const { account } = ada.viewer as { account: { id: string } }
    const run = await putRun(t.db, { ownerId: account.id, executor: 'hosted', hostedCallId: 'call_run' })
    await world.sql(`update robot_checks set hosted_call_id = 'call_check' where id = $1`, [check])
    const age = (minutes: number) =>
      Promise.all(
        ['runs', 'robot_checks'].map((table) =>
          world.sql(`update ${table} set dispatched_at = now() - make_interval(mins => $1) where id = any($2)`, [
            minutes,
            [check, run],
          ]),
        ),
      )
    const statuses = async () => {
      await dispatchWaiting(deps)
      await dispatchWaitingChecks(deps)
      const [row] = await world.sql<{ status: string }>('select status::text from runs where id = $1', [run])
      return [row?.status, (await rowOf(check)).status]
    }
    await age(59)
    expect(await statuses()).toEqual(['queued', 'queued'])
    await age(61)
    expect(await statuses()).toEqual(['failed', 'failed'])
    expect((await rowOf(check)).error).toContain('it did not claim the job within 3600 seconds')
    await deps.hosted.close()
  })
})
