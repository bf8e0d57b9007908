/** Two hubs on one database, asked over HTTP. */
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type RunningHub, startHub } from '../../src/start-hub.ts'
import { putRun } from '../support/runs.ts'
import { contractHub, type Json, type Person } from './support/hub.ts'

const hub = contractHub({ RUN_LEASE_SECONDS: '2' })
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
  it('give each of 50 runs to one of 200 claimers and tell the others who holds it', async () => {
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

  it('hand on what one of them sweeps: a runner that waits at the other gets the run', async () => {
    const one = await newRunner()
    const id = await put(one)
    expect((await ask(one, 0, `/v1/runs/${id}/claim`, { worker: 'lost' })).status).toBe(200)
    const taken = await ask(one, 1, '/v1/runs/claim-next', { worker: 'patient', wait_s: 30 })
    expect([taken.status, taken.json]).toMatchObject([200, { id, claimed_by: 'patient', attempt: 2 }])
  })

  it('that stop keep nobody waiting for work', async () => {
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
    const started = performance.now()
    await third.stop()
    expect((await waiting).status).toBe(204)
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})
