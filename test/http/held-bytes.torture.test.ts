// @module-tag own-graph
/** What a caller makes the hub hold by being slow: bodies that are on their way, and answers and messages that nobody reads. */
import { type AddressInfo, connect, type Socket } from 'node:net'
import { createSchema } from 'graphql-yoga'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { HeldBytes, HeldTotal } from '../../src/http/held-bytes.ts'
import { OpenStreams } from '../../src/http/open-streams.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import { type Db, openDb } from '../../src/store/db.ts'
import { testServer } from './support/test-server.ts'

const MIB = 1024 * 1024
/** More than the buffers of a connection take. */
const LONG = 'x'.repeat(14 * MIB)

const schema = createSchema<RequestContext>({
  typeDefs: 'type Query { long: String short: String } type Subscription { long: String }',
  resolvers: {
    Query: { long: () => LONG, short: () => 'x' },
    Subscription: {
      long: {
        async *subscribe() {
          yield { long: LONG }
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

const peers: Socket[] = []
let close: () => Promise<unknown> = async () => undefined
afterEach(async () => {
  for (const peer of peers.splice(0)) peer.destroy()
  await close()
})

async function start(parts: Parameters<typeof testServer>[0]['parts']) {
  const { app } = testServer({ db, parts, log: pino({ level: 'silent' }) })
  await app.listen({ port: 0, host: '127.0.0.1' })
  close = () => app.close()
  const { port } = app.server.address() as AddressInfo
  return {
    /** Sends a request as it is, and reads of the answer what comes until `read` is called no more. */
    send(text: string) {
      const peer = connect(port, '127.0.0.1').on('error', () => undefined)
      peers.push(peer)
      peer.write(text)
      return peer
    },
    async ask(query: string, headers: Record<string, string> = {}) {
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query }),
      }
      const answer = await fetch(`http://127.0.0.1:${port}/graphql`, init)
      return { status: answer.status, text: await answer.text() }
    },
  }
}

const post = (path: string, bytes: number, body: string) =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n${body}`
const postQuery = (path: string, query: string) => {
  const body = JSON.stringify({ query })
  return post(path, body.length, body)
}
const other = { authorization: 'Bearer ann' }
const tooMuch = expect.stringContaining('"held-bytes"')

describe('a caller who is slow', () => {
  it('has bodies of so many bytes on their way, whatever their number, and others have their own', async () => {
    const hub = await start({ schema, held: new HeldBytes({ address: MIB, account: MIB }) })
    const bodies = [0, 1].map(() => hub.send(post('/graphql', MIB / 2, '{')))
    await expect.poll(() => hub.ask('{ short }')).toEqual({ status: 429, text: tooMuch })
    expect((await hub.ask('{ short }', other)).status).toBe(200)
    bodies[0]?.destroy()
    await expect.poll(async () => (await hub.ask('{ short }')).status).toBe(200)
  })

  it('counts a body without a length as the longest', async () => {
    const hub = await start({ schema, held: new HeldBytes({ address: MIB, account: MIB }) })
    hub.send(
      'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
    )
    await expect.poll(() => hub.ask('{ short }')).toEqual({ status: 429, text: tooMuch })
  })

  it('leaves answers of so many bytes unread', async () => {
    const hub = await start({ schema, held: new HeldBytes({ address: 20 * MIB, account: 20 * MIB }) })
    const first = hub.send(postQuery('/graphql', '{ long }'))
    await new Promise((resolve) => first.once('readable', resolve))
    expect(await hub.ask('{ long }')).toEqual({ status: 429, text: tooMuch })
    expect((await hub.ask('{ short }')).status).toBe(200)
    expect((await hub.ask('{ long }', other)).status).toBe(200)
    first.resume()
    await expect.poll(async () => (await hub.ask('{ long }')).status).toBe(200)
  })

  it('leaves messages of streams of so many bytes unread; a stream that has one more is closed', async () => {
    const streams = new OpenStreams(undefined, new HeldBytes({ address: 20 * MIB, account: 20 * MIB }))
    const hub = await start({ schema, streams })
    const open = () => hub.send(postQuery('/graphql/stream', 'subscription { long }'))
    const first = open()
    await new Promise((resolve) => first.once('readable', resolve))
    await expect.poll(() => first.readableLength).toBeGreaterThan(1000)
    const second = open()
    second.resume()
    await new Promise((resolve) => second.once('close', resolve))
    expect(second.bytesRead).toBeLessThan(MIB)
    expect(first.destroyed).toBe(false)
  })
})

describe('all callers together', () => {
  it('leave so many bytes; then a long body is 503, and a short one is taken', async () => {
    const bounds = { address: 64 * MIB, account: 64 * MIB }
    const hub = await start({ schema, held: new HeldBytes(bounds, new HeldTotal(20 * MIB)) })
    const first = hub.send(postQuery('/graphql', '{ long }'))
    await new Promise((resolve) => first.once('readable', resolve))
    const { status, text } = await hub.ask('{ long }', other)
    expect([status, text]).toEqual([503, expect.stringMatching(/of all callers; try again/)])
    expect((await hub.ask('{ short }')).status).toBe(200)
    expect((await hub.ask('{ short }', other)).status).toBe(200)
    first.resume()
    await expect.poll(async () => (await hub.ask('{ long }', other)).status).toBe(200)
  })

  it('have an eighth more for a caller who holds at most a MiB, and give back once', () => {
    const total = new HeldTotal(8 * MIB)
    const held = new HeldBytes({ address: 64 * MIB, account: 64 * MIB }, total)
    const from = (ip: string) => ({ viewer: null, ip }) as never
    const release = held.take(from('10.0.0.1'), 8 * MIB)
    const fullOf = expect.objectContaining({ type: 'unavailable', facts: { retryAfterS: 5 } })
    expect(() => held.take(from('10.0.0.1'), 1)).toThrow(fullOf)
    expect(() => held.take(from('10.0.0.2'), MIB + 1)).toThrow(fullOf)
    const small = held.take(from('10.0.0.2'), MIB)
    expect(() => held.take(from('10.0.0.3'), 1)).toThrow(fullOf)
    small()
    small()
    held.take(from('10.0.0.3'), MIB)()
    release()
    release()
    held.take(from('10.0.0.2'), 8 * MIB)
    expect(() => held.take(from('10.0.0.1'), 2 * MIB)).toThrow(fullOf)
  })
})

describe('an operation that needs a credential', () => {
  it('refuses who has none before the body is read', async () => {
    const hub = await start({ schema })
    const peer = hub.send(post('/v1/things', 1000, ''))
    const [head] = await new Promise<string[]>((resolve) =>
      peer.once('data', (bytes) => resolve(String(bytes).split('\r\n'))),
    )
    expect(head).toBe('HTTP/1.1 401 Unauthorized')
  })
})
