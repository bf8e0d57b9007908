// @module-tag own-graph
// @module-tag sampled
/** What one caller may use at a time and in a minute, by all the ways in. */

import { describeOnce, itInTorture, itOnce } from '@hub/testing/torture'
import { createSchema } from 'graphql-yoga'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { AddressSlots } from '../../src/http/address-slots.ts'
import { admission } from '../../src/http/admission.ts'
import { OpenStreams } from '../../src/http/open-streams.ts'
import { callerOf, createRateLimit } from '../../src/http/rate-limit.ts'
import type { Credentialed, RequestContext, Viewer } from '../../src/operation/context.ts'
import { type Db, openDb } from '../../src/store/db.ts'
import { testServer } from './support/test-server.ts'

const gate = { entered: 0, most: 0, running: 0, open: Promise.withResolvers<void>() }
/** The processor time of this thread goes on when something burns it, and else stands still: what is used is exact, and takes no time. */
const processor = { usedMs: 0 }
const burn = (ms: number) => {
  processor.usedMs += ms
}
beforeAll(() => {
  vi.spyOn(process, 'threadCpuUsage').mockImplementation(() => ({ user: processor.usedMs * 1000, system: 0 }))
})
afterAll(() => vi.mocked(process.threadCpuUsage).mockRestore())

const schema = createSchema<RequestContext>({
  typeDefs: `
    type Query { wait: Int burn(ms: Int!): Int thing: Int }
    type Subscription { burns(count: Int!, ms: Int!): Int }
  `,
  resolvers: {
    Query: {
      wait: async () => {
        gate.entered += 1
        gate.running += 1
        gate.most = Math.max(gate.most, gate.running)
        await gate.open.promise
        gate.running -= 1
        return 1
      },
      burn: (_root, { ms }) => {
        burn(ms)
        return 1
      },
      thing: () => 1,
    },
    Subscription: {
      burns: {
        async *subscribe(_root: unknown, { count, ms }: { count: number; ms: number }) {
          for (let at = 0; at < count; at += 1) yield { burns: ms }
        },
        resolve: ({ burns }: { burns: number }) => {
          burn(burns)
          return burns
        },
      },
    },
  },
})

let db: Db
beforeAll(() => {
  db = openDb({ url: 'postgres://nobody@127.0.0.1:9/none', poolMax: 1 })
})
afterAll(() => db.close())
const running: ReturnType<typeof testServer>[] = []
afterEach(async () => {
  gate.open.resolve()
  for (const { app } of running.splice(0)) await app.close()
  Object.assign(gate, { entered: 0, most: 0, running: 0, open: Promise.withResolvers<void>() })
})
function start(env: Record<string, string> = {}) {
  const server = testServer({ db, env, parts: { schema }, log: pino({ level: 'silent' }) })
  running.push(server)
  return server.app
}
const ask = (app: ReturnType<typeof start>, query: string, headers: Record<string, string> = {}, url = '/graphql') =>
  app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', ...headers },
    payload: JSON.stringify({ query }),
  })

describe('an anonymous address', () => {
  itOnce('runs at most eight operations at once; the others wait for their turn', async () => {
    const app = start()
    const answers = Array.from({ length: 20 }, () => ask(app, '{ wait }'))
    await expect.poll(() => gate.entered).toBe(8)
    // A credential has its own.
    expect((await ask(app, '{ thing }', { authorization: 'Bearer ann' })).json()).toEqual({ data: { thing: 1 } })
    gate.open.resolve()
    for (const answer of await Promise.all(answers)) expect(answer.json()).toEqual({ data: { wait: 1 } })
    expect([gate.entered, gate.most]).toEqual([20, 8])
  })

  itInTorture('may use ten seconds of processor time a minute, over queries and events of subscriptions', async () => {
    const app = start()
    for (let at = 0; at < 6; at += 1)
      expect((await ask(app, '{ burn(ms: 1500) }')).json()).toEqual({ data: { burn: 1 } })
    const sse = { accept: 'text/event-stream' }
    const { payload } = await ask(app, 'subscription { burns(count: 1000, ms: 300) }', sse, '/graphql/stream')
    const results = [...payload.matchAll(/^data: (\{.+)$/gm)].map(([, json = '']) => JSON.parse(json))
    expect(results.length).toBeGreaterThan(2)
    expect(results.length).toBeLessThan(6)
    expect(results.at(-1)?.errors[0]).toMatchObject({ extensions: { code: 'RATE_LIMITED', status: 429 } })
    const refused = await ask(app, '{ thing }')
    expect(refused.json().errors[0].message).toMatch(/More than 10000 ms of processor time in a minute/)
    expect((await ask(app, '{ thing }', { authorization: 'Bearer ann' })).json()).toEqual({ data: { thing: 1 } })
  })
})

describeOnce('an account with two seconds of processor time a minute', () => {
  const env = { ACCOUNT_PROCESSOR_S: '2' }
  const ann = { authorization: 'Bearer ann' }
  const used = /More than 2000 ms of processor time in a minute/

  it('may use them, over all its keys; others have their own', async () => {
    const app = start(env)
    for (let at = 0; at < 4; at += 1)
      expect((await ask(app, '{ burn(ms: 510) }', ann)).json()).toEqual({ data: { burn: 1 } })
    const refused = await ask(app, '{ thing }', { authorization: 'Bearer bob' })
    expect(refused.json().errors[0].message).toMatch(used)
    expect(refused.json().errors[0].extensions.problem).toMatchObject({
      status: 429,
      unit: 'ms',
      errors: [{ limit: { name: 'account-time', maximum: 2000 } }],
    })
    expect((await ask(app, '{ thing }')).json()).toEqual({ data: { thing: 1 } })
  })

  it('uses little more of it with operations that it sends at once', async () => {
    const app = start(env)
    const before = process.threadCpuUsage().user
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask(app, '{ burn(ms: 300) }', ann)))
    const refused = answers.filter((answer) => used.test(answer.payload))
    expect(refused.length).toBeGreaterThan(15)
    expect((process.threadCpuUsage().user - before) / 1000).toBeLessThan(5000)
  })

  it('pays for the events of its subscriptions, which end then', async () => {
    const app = start(env)
    const sse = { accept: 'text/event-stream', ...ann }
    const { payload } = await ask(app, 'subscription { burns(count: 1000, ms: 300) }', sse, '/graphql/stream')
    const results = [...payload.matchAll(/^data: (\{.+)$/gm)].map(([, json = '']) => JSON.parse(json))
    expect(results.length).toBeGreaterThan(5)
    expect(results.length).toBeLessThan(10)
    expect(results.at(-1)?.errors[0].message).toMatch(used)
  })

  it('pays for reads by a sample of them', async () => {
    const app = start(env)
    const read = () => app.inject({ url: `/graphql?query=${encodeURIComponent('{ burn(ms: 40) }')}`, headers: ann })
    let taken = 0
    while (!used.test((await read()).payload)) taken += 1
    // Fifty of them have two seconds; each that is looked at counts as eight.
    expect(taken).toBeLessThan(400)
  })

  it('has as much as it likes without the limit', async () => {
    const app = start({ ACCOUNT_PROCESSOR_S: '0' })
    for (let at = 0; at < 5; at += 1)
      expect((await ask(app, '{ burn(ms: 510) }', ann)).json()).toEqual({ data: { burn: 1 } })
  })
})

describeOnce('slots', () => {
  const bounds = { running: 1, waiting: 1, waitMs: 20 }
  const address = { address: '10.0.0.1' }

  it('are taken over in order, and a failed operation leaves its own', async () => {
    const slots = new AddressSlots({ ...bounds, waiting: 3, waitMs: 60_000 })
    const order: number[] = []
    const work = (at: number) => async () => {
      order.push(at)
      if (at === 1) throw new Error('failed')
    }
    const all = await Promise.allSettled([0, 1, 2, 3].map((at) => slots.run(address, work(at))))
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    expect(order).toEqual([0, 1, 2, 3])
  })

  it('refuse who would wait too long, or behind too many, and other addresses have their own', async () => {
    const slots = new AddressSlots(bounds)
    const { promise, resolve } = Promise.withResolvers<void>()
    const first = slots.run(address, () => promise)
    const late = slots.run(address, async () => undefined)
    const tooMany = slots.run(address, async () => undefined)
    await expect(tooMany).rejects.toThrow(/at most 1 operations at once/)
    await expect(late).rejects.toThrow(/at most 1 operations at once/)
    await expect(slots.run({ address: '10.0.0.2' }, async () => 'ran')).resolves.toBe('ran')
    resolve()
    await first
    await expect(slots.run(address, async () => 'ran')).resolves.toBe('ran')
  })

  it('are of a network, whose addresses a client may choose', async () => {
    const slots = new AddressSlots(bounds)
    const { promise, resolve } = Promise.withResolvers<void>()
    const first = slots.run({ address: '2001:db8::1' }, () => promise)
    await expect(slots.run({ address: '2001:db8::2' }, async () => 'ran')).rejects.toThrow(/at once/)
    resolve()
    await first
  })
})

describeOnce('an account', () => {
  const credentialed = (key: string, account: string, person: string | null) =>
    ({ kind: 'key', credentialId: key, account: { id: account }, personId: person }) as Credentialed
  const reply = () => {
    const headers = new Map<string, unknown>()
    return {
      raw: { headersSent: false },
      getHeader: (name: string) => headers.get(name),
      header: (name: string, value: unknown) => headers.set(name, value),
    } as never
  }
  const who = (viewer: Viewer) => callerOf({ viewer, ip: '10.0.0.1' })
  /** How many of so many requests, each by a key of its own, are taken. */
  async function taken(count: number, of: (at: number) => Credentialed): Promise<number> {
    const rate = createRateLimit(20)
    let passed = 0
    for (let at = 0; at < count; at += 1)
      await rate.count(reply(), who(of(at))).then(
        () => {
          passed += 1
        },
        (error) =>
          expect(error).toMatchObject({ type: 'rate.limited', items: [{ limit: { name: 'account', maximum: 200 } }] }),
      )
    return passed
  }

  it('has ten times the rate of a key over all its keys', async () => {
    expect(await taken(250, (at) => credentialed(`key_${at}`, 'org_1', null))).toBe(200)
  })

  it('has it also where a person makes an org for each key', async () => {
    expect(await taken(250, (at) => credentialed(`key_${at}`, `org_${at}`, 'user_1'))).toBe(200)
    expect(await taken(250, (at) => credentialed(`key_${at}`, `org_${at}`, `user_${at}`))).toBe(250)
  })

  it('has twice the streams of a key over all its keys, also where a person makes an org for each', () => {
    for (const accountOf of [() => 'org_1', (at: number) => `org_${at}`]) {
      const streams = new OpenStreams({ credential: 10, account: 20, address: 1 })
      const take = (at: number) =>
        streams.take({ viewer: credentialed(`key_${at}`, accountOf(at), 'user_1'), ip: '10.0.0.1' })
      const open = Array.from({ length: 20 }, (_, at) => take(at))
      expect(() => take(20)).toThrow(/An account has at most 20 streams/)
      expect(() => streams.take({ viewer: credentialed('key_x', 'org_x', 'user_2'), ip: '10.0.0.1' })).not.toThrow()
      open[0]?.()
      expect(() => take(20)).not.toThrow()
    }
  })

  it('has no limit where the operator has turned it off', async () => {
    const rate = createRateLimit(0)
    for (let at = 0; at < 100; at += 1) await rate.count(reply(), { address: '10.0.0.1' })
    await expect(admission(rate, null)({ viewer: null, ip: '10.0.0.1' } as never, async () => 1)).resolves.toBe(1)
  })
})
