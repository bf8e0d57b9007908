// @module-tag processes
/** Calls outlive a hub that was killed: the next one on the same data directory looks after them, and spawns what was recorded and not spawned, once. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCheck } from '../../src/checks/create/create-check.ts'
import type { HostedBackend } from '../../src/hosting/backend.ts'
import { openCallNotes } from '../../src/hosting/process/call-notes.ts'
import { placeId } from '../../src/hosting/process/place-id.ts'
import { openProcessBackend } from '../../src/hosting/process/process-backend.ts'
import { tokenSeal } from '../../src/hosting/token-seal.ts'
import { dispatchHosted, dispatchWaiting } from '../../src/jobs/hosted-kinds.ts'
import { attendCalls, sweepCalls } from '../../src/jobs/sweeps.ts'
import type { Deps, RequestContext } from '../../src/operation/context.ts'
import { readConfig } from '../../src/platform/config.ts'
import type { Db } from '../../src/store/db.ts'
import { processMark } from '../../src/store/start-lock.ts'
import { testDb } from '../support/database.ts'
import { openFile, openFolder } from '../support/open-folder.ts'
import { putRun } from '../support/runs.ts'
import { makeWorld, type World, type WorldRepo } from '../support/world.ts'
import { clockOf, expectPutOff } from './support/put-off.ts'

const t = testDb()
const dir = openFolder('hub-adopt-')
/** Each process says which call it is for. */
const said = openFile(join(dir, 'said'))
const config = readConfig({
  HOSTED_APP_NAME: 'coach',
  HOSTED_OWNERS: '*',
  HOSTED_COMMAND: `echo "$HUB_CALL_ID" >> "${said}"; exec sleep 1000`,
  HUB_DATA_DIR: dir,
})
const settings = { ...config, publicUrl: 'http://hub.test' }
const log = pino({ level: 'silent' })
const patiently = { timeout: 100_000, interval: 25 }
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

/** A hub on the data directory: what of it is next to its processes. */
async function nextHub(): Promise<Deps> {
  return { ...world.deps, hosted: await openProcessBackend(settings, log) }
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
  await notes.write(call, { jobId: id, mark: await processMark(pid), folder: null, user: null, isStarting: false })
  await recorded(id, call)
  return { id, call, pid }
}
const recorded = async (id: string, call: string) => {
  await world.sql(
    `update robot_checks set hosted_call_id = $2, hosted_credential = 'key_x', dispatched_at = now() where id = $1`,
    [id, call],
  )
  await world.sql(
    `insert into hosted_calls (id, job_kind, job_id, backend, place, function_name, state, spawned_at)
      values ($2, 'robot_check', $1, 'process', $3, 'robot_check', 'spawned', now())`,
    [id, call, await placeId(dir)],
  )
}

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
    await notes.write(call, {
      jobId: id,
      mark: '99999999 of another time',
      folder: null,
      user: null,
      isStarting: false,
    })
    await recorded(id, call)
    if (isClaimed)
      await world.sql(
        `update robot_checks set status = 'running', attempt = 1, claim_credential = 'key_x', claimed_at = now() - interval '1 minute' where id = $1`,
        [id],
      )
    const deps = await nextHub()
    await attendCalls(deps)
    expect(await rowOf(id)).toMatchObject({ status: 'failed', error, cost: cost ?? 0 })
    expect(await world.sql('select 1 from repo_references where referrer_id = $1', [id])).toEqual([])
    expect(await notes.list()).not.toContain(call)
    await deps.hosted.close()
  })

  it('whose process is still at work keeps its place until that ends, and then ends its check', async () => {
    const { id, call, pid } = await leftBehind()
    const deps = await nextHub()
    await attendCalls(deps)
    expect([(await rowOf(id)).status, await notes.list()]).toEqual(['queued', [call]])
    process.kill(-pid, 'SIGKILL')
    await expect.poll(async () => (await rowOf(id)).status, patiently).toBe('failed')
    await expect.poll(() => readdirSync(join(dir, 'hosted')), patiently).toEqual([])
    await deps.hosted.close()
  })

  /** A hub that dies at some point of the dispatch: the rest of what it does never happens. */
  const diesAt = async (change: (deps: Deps) => Partial<Deps>) => {
    const id = await hostedCheck()
    const hub = await nextHub()
    await attendCalls(hub)
    await expect(dispatchHosted({ ...hub, ...change(hub) }, id)).rejects.toThrow('The hub was killed.')
    const { call } = await rowOf(id)
    const isDue = () =>
      world.sql('update hosted_calls set next_try_at = now() - make_interval(secs => 1) where job_id = $1', [id])
    await isDue()
    // Of a process that is not there any more, as the hub's own.
    const note = await notes.read(call ?? '')
    if (note?.isStarting) await notes.write(call ?? '', { ...note, mark: '99999999 of a hub' })
    return { id, call: call ?? '', isDue }
  }
  const killed = async (): Promise<never> => {
    throw new Error('The hub was killed.')
  }
  /** How often the command was started for the call. */
  const started = (call: string) =>
    existsSync(said)
      ? readFileSync(said, 'utf8')
          .split('\n')
          .filter((line) => line === call).length
      : 0
  const stateOf = async (call: string) => {
    const text = 'select state::text, sealed_token as key from hosted_calls where id = $1'
    return (await world.sql<{ state: string; key: Buffer | null }>(text, [call]))[0]
  }
  const sweptUntilFailed = (deps: Deps, id: string) =>
    expect
      .poll(async () => {
        await sweepCalls(deps)
        return (await rowOf(id)).status
      }, patiently)
      .toBe('failed')
  const ends = async (deps: Deps, id: string, call: string) => {
    process.kill(-(await pidOf(call)), 'SIGKILL')
    await expect.poll(async () => (await rowOf(id)).status, patiently).toBe('failed')
    await expect.poll(() => notes.list(), patiently).not.toContain(call)
    await deps.hosted.close()
  }

  it('between the commit and the spawn is neither lost nor doubled: one of the next hubs spawns the same call with the same key', async () => {
    const { id, call, isDue } = await diesAt(({ hosted }) => ({
      hosted: { ...hosted, spawn: killed, release: killed },
    }))
    expect([await stateOf(call), started(call)]).toEqual([{ state: 'pending', key: expect.any(Buffer) }, 0])
    const [one, two] = [await nextHub(), await nextHub()]
    await Promise.all([attendCalls(one), attendCalls(two)])
    await Promise.all([sweepCalls(one), sweepCalls(two), sweepCalls(one)])
    await expect.poll(() => started(call), patiently).toBe(1)
    await isDue()
    await Promise.all([sweepCalls(one), sweepCalls(two)])
    const spawned = { state: 'spawned', key: null }
    expect([await rowOf(id), await stateOf(call)]).toMatchObject([{ status: 'queued', call }, spawned])
    expect(await world.sql('select 1 from api_keys where job_id = $1', [id])).toHaveLength(1)
    await two.hosted.close()
    // Of the first one its end is recorded at once, of the second by the sweeps of the first.
    process.kill(-(await pidOf(call)), 'SIGKILL')
    await sweptUntilFailed(one, id)
    await expect.poll(() => notes.list(), patiently).not.toContain(call)
    await one.hosted.close()
    expect(started(call)).toBe(1)
  })

  it('that another hub started is ended by one that was there all along, whose second sweep finds its process gone', async () => {
    const [there, other] = [await nextHub(), await nextHub()]
    await Promise.all([attendCalls(there), attendCalls(other)])
    const id = await hostedCheck()
    await dispatchHosted(other, id)
    const call = (await rowOf(id)).call ?? ''
    await expect.poll(() => started(call), patiently).toBe(1)
    await other.hosted.close()
    await sweepCalls(there)
    process.kill(-(await pidOf(call)), 'SIGKILL')
    await sweptUntilFailed(there, id)
    await expect.poll(() => notes.list(), patiently).not.toContain(call)
    await there.hosted.close()
  })

  it('between the spawn and its record is not spawned again', async () => {
    const { id, call } = await diesAt(({ db }) => {
      const query: Db['query'] = (statement: { name: string }, values: never) =>
        statement.name === 'hosted-call-spawned' ? killed() : db.query(statement as never, values)
      return { db: { ...db, query } }
    })
    await expect.poll(() => started(call), patiently).toBe(1)
    expect(await stateOf(call)).toMatchObject({ state: 'pending' })
    const deps = await nextHub()
    await attendCalls(deps)
    await sweepCalls(deps)
    expect(await stateOf(call)).toEqual({ state: 'spawned', key: null })
    expect(await notes.list()).toContain(call)
    await ends(deps, id, call)
    expect(started(call)).toBe(1)
  })

  it('whose job was canceled before it was spawned is never spawned', async () => {
    const { id, call } = await diesAt(({ hosted }) => ({ hosted: { ...hosted, spawn: killed, release: killed } }))
    const canceled = `update robot_checks set status = 'canceled', finished_at = now(), cost_usd = 0 where id = $1`
    await world.sql(canceled, [id])
    const deps = await nextHub()
    await attendCalls(deps)
    await sweepCalls(deps)
    expect([await stateOf(call), started(call)]).toEqual([{ state: 'ended', key: null }, 0])
    await deps.hosted.close()
  })

  it('whose key was sealed with another HUB_SECRET fails its check with that reason', async () => {
    const { id, call } = await diesAt(({ hosted }) => ({ hosted: { ...hosted, spawn: killed, release: killed } }))
    const deps = { ...(await nextHub()), tokenSeal: tokenSeal('t'.repeat(32)) }
    await attendCalls(deps)
    await sweepCalls(deps)
    const error =
      'The hosted function could not be started: HUB_SECRET has changed since it was submitted, and its key cannot be read any more.'
    expect([await rowOf(id), started(call), await notes.list()]).toMatchObject([{ status: 'failed', error }, 0, []])
    await deps.hosted.close()
  })

  it('that its backend lost ends its check after a minute, not before', async () => {
    const id = await hostedCheck()
    const call = `call_of_${id}`
    await recorded(id, call)
    const deps = await nextHub()
    await sweepCalls(deps)
    const aged = async (seconds: number) => {
      const text = 'update hosted_calls set missing_since = missing_since - make_interval(secs => $1) where id = $2'
      await world.sql(text, [seconds, call])
      await sweepCalls(deps)
      return rowOf(id)
    }
    expect((await aged(50)).status).toBe('queued')
    expect(await aged(11)).toMatchObject({
      status: 'failed',
      error: 'The hosted function could not be started: process lost its call.',
    })
    expect(await stateOf(call)).toMatchObject({ state: 'ended' })
    await deps.hosted.close()
  })

  it('of a machine that has no room for it now is tried again, and in the end its check has failed with the reason', async () => {
    const id = await hostedCheck()
    const deps = await nextHub()
    const full = Object.assign(new Error('spawn EAGAIN'), { code: 'EAGAIN' })
    const hosted: HostedBackend = { ...deps.hosted, spawn: () => Promise.reject(full) }
    const before = await clockOf(world)
    await dispatchHosted({ ...deps, hosted }, id)
    const { call } = await rowOf(id)
    await expectPutOff(world, call, 2, before)
    expect(await world.sql('select tries from hosted_calls where id = $1', [call])).toEqual([{ tries: 1 }])
    await world.sql('update hosted_calls set next_try_at = now() - make_interval(secs => 1), tries = 9 where id = $1', [
      call,
    ])
    await sweepCalls({ ...deps, hosted })
    expect(await rowOf(id)).toMatchObject({
      status: 'failed',
      call: null,
      error: 'The hosted function could not be started: spawn EAGAIN',
    })
    await world.sql('update hosted_calls set next_try_at = now() - make_interval(secs => 1) where id = $1', [call])
    await sweepCalls(deps)
    expect([await stateOf(call ?? ''), await notes.list()]).toEqual([{ state: 'ended', key: null }, []])
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
