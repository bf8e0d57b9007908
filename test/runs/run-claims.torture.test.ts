/** Two hubs on one database, called over HTTP. */
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { sweepLeases } from '../../src/runs/lease/sweep-leases.ts'
import { type RunningHub, startHub } from '../../src/start-hub.ts'
import { contractHub, type Json, type Person } from '../support/hub.ts'
import { putRun } from '../support/runs.ts'

const hub = contractHub()
let second: RunningHub
/** A person and a train key of theirs. */
interface Runner {
  readonly person: Person
  readonly key: string
}
let runner: Runner

beforeAll(async () => {
  const { config } = hub.running.deps
  second = await startHub({ ...config, port: 0, publicUrl: null }, pino({ level: 'silent' }))
  runner = await newRunner()
})
afterAll(() => second?.stop())

async function newRunner(): Promise<Runner> {
  const person = await hub.person()
  return { person, key: await hub.key(person, { scope: 'train' }) }
}

const put = ({ person }: Runner) => putRun(hub.running.deps.db, { ownerId: person.id })

async function ask({ key }: Runner, at: number, path: string, body: object): Promise<{ status: number; json: Json }> {
  const response = await fetch(new URL(path, at % 2 ? second.url : hub.running.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, json: text ? JSON.parse(text) : null }
}

describe('two hubs', () => {
  it('assign each of 50 runs to one of 200 claimers and name the holder to the others', async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, () => put(runner)))
    const asked = Array.from({ length: 200 }, async (_, at) => {
      const id = ids[at % 50]
      return { id, ...(await ask(runner, at, `/v1/runs/${id}/claim`, { worker: `w${at}` })) }
    })
    const answers = await Promise.all(asked)
    const won = answers.filter(({ status }) => status === 200)
    expect(won.map(({ id }) => id).sort()).toEqual([...ids].sort())
    for (const { id, status, json } of answers) {
      if (status === 200) continue
      const holder = won.find((one) => one.id === id)?.json.claimed_by
      expect([status, json.errors[0].type, json.errors[0].holder]).toEqual([409, 'conflict.already_claimed', holder])
    }
  })

  /** A run that a runner claimed at the first hub, which sweeps it once `wait` is waiting at the other. */
  async function sweptWhile(one: Runner, wait: () => Promise<{ status: number; json: Json }>) {
    const id = await put(one)
    expect((await ask(one, 0, `/v1/runs/${id}/claim`, { worker: 'lost' })).status).toBe(200)
    const watch = vi.spyOn(second.deps.events, 'watch')
    onTestFinished(() => watch.mockRestore())
    const taken = wait()
    await expect.poll(() => watch.mock.calls.length).toBeGreaterThan(0)
    await hub.sql(`update runs set lease_expires_at = now() - interval '1 ms' where id = $1`, [id])
    await sweepLeases(hub.running.deps)
    return { id, taken }
  }

  it('announce swept runs to each other: a runner that waits at the other hub gets the run', async () => {
    const one = await newRunner()
    const patient = { ...one, key: await hub.key(one.person, { scope: 'train' }) }
    const { id, taken } = await sweptWhile(one, () =>
      ask(patient, 1, '/v1/runs/claim-next', { worker: 'patient', wait_s: 30 }),
    )
    const { status, json } = await taken
    expect([status, json]).toMatchObject([200, { id, claimed_by: 'patient', attempt: 2 }])
  })

  it('assign it to a runner of the same key as soon as the lost runner was notified', async () => {
    const one = await newRunner()
    const { id, taken } = await sweptWhile(one, () =>
      ask(one, 1, '/v1/runs/claim-next', { worker: 'patient', wait_s: 30 }),
    )
    const early = await ask(one, 1, `/v1/runs/${id}/claim`, { worker: 'hasty' })
    expect([early.status, early.json.errors[0].type]).toEqual([409, 'conflict.lease_lost'])
    expect(Date.parse(early.json.errors[0].until)).toBeGreaterThan(Date.now())
    expect((await ask(one, 0, `/v1/runs/${id}/report`, { status: 'failed' })).status).toBe(409)
    const { status, json } = await taken
    expect([status, json]).toMatchObject([200, { id, claimed_by: 'patient', attempt: 2 }])
  })

  it('that stop end all waits for work', async () => {
    const { config } = hub.running.deps
    const third = await startHub({ ...config, port: 0, publicUrl: null }, pino({ level: 'silent' }))
    const watch = vi.spyOn(third.deps.events, 'watch')
    const one = await newRunner()
    const waiting = fetch(new URL('/v1/runs/claim-next', third.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${one.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ worker: 'patient', wait_s: 30 }),
    })
    await expect.poll(() => watch.mock.calls.length).toBeGreaterThan(0)
    const forced = vi.spyOn(third.app.server, 'closeAllConnections')
    await third.stop()
    expect((await waiting).status).toBe(204)
    // What is still open after 20 s, which is before the wait is over, is cut by one before the last.
    expect(forced).toHaveBeenCalledOnce()
  })
})
