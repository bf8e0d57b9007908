// @module-tag full
// @module-tag long
import { request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import Fastify, { type FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { registerHandlers } from '../../rest-compat/engine/mount-handlers.ts'
import { handlers } from '../../rest-compat/runs/handlers.ts'
import { schema } from '../../schema/index.ts'
import type { Admit } from '../../src/http/admission.ts'
import { Connections } from '../../src/http/connections.ts'
import { countedSchema } from '../../src/http/counted-schema.ts'
import { registerEdge } from '../../src/http/edge.ts'
import { Documents } from '../../src/http/graphql-documents.ts'
import { registerGraphqlStream } from '../../src/http/graphql-stream.ts'
import { knownError } from '../../src/http/known-error.ts'
import { OpenStreams } from '../../src/http/open-streams.ts'
import { PersistedDocuments } from '../../src/http/persisted-documents.ts'
import { contextOf } from '../../src/http/request-context.ts'
import type { Edge } from '../../src/http/server.ts'
import type { Viewer } from '../../src/operation/context.ts'
import { contractHub, type Person } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
let key: string
/** The two streams over the hub's own parts, with less patience for readers that stop. */
let app: FastifyInstance
let port: number
beforeAll(async () => {
  ada = await hub.person()
  key = await hub.key(ada, { scope: 'train' })
  const { deps } = hub.running
  const session = {
    kind: 'session',
    credentialId: 'sess_x',
    accountIds: [ada.id],
    account: { id: ada.id, kind: 'user' },
  }
  const viewer = { ...session, level: 'read', repoIds: null } as unknown as Viewer
  app = Fastify() as unknown as FastifyInstance
  registerEdge(app, { log: pino({ level: 'silent' }), https: false, corsOrigins: [] })
  app.addHook('onRequest', async (asked) => {
    asked.viewer = viewer
  })
  const streams = new OpenStreams()
  // Readers share this process with the server: on a busy machine neither may run for seconds.
  new Connections(app.server, { stall: { windowMs: 10_000, minBytes: 1024 } })
  const identify = async () => undefined
  const admit: Admit = (_request, work) => work()
  const ofHub = (asked: Parameters<typeof contextOf>[1]) => contextOf(deps, asked)
  const holding = () => () => undefined
  const edge: Edge = {
    identify,
    renew: identify,
    limitAddress: identify,
    contextOf: ofHub,
    spend: identify,
    admit,
    holding,
    streams,
    takeArchive: holding,
    knownError,
  }
  await app.register(async (scope) => registerHandlers(scope, edge, handlers))
  await app.register(async (scope) => {
    const documents = new Documents(() => countedSchema(schema))
    const persisted = new PersistedDocuments(null)
    registerGraphqlStream(scope, { documents, persisted, ...edge })
    scope.addHook('preClose', async () => streams.endAll())
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  port = (app.server.address() as AddressInfo).port
})
afterAll(() => app?.close())

const CHUNKS = 60
const LINES = 64
const wholeLog = Array.from({ length: CHUNKS * LINES }, (_, n) => n)
const connections = () =>
  new Promise<number>((resolve, reject) =>
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )
const subscription = (runId: string, args = '') =>
  JSON.stringify({ query: `subscription { runLog(runId: "${runId}"${args}) { events { line } cursor status } }` })
const json = { 'content-type': 'application/json', accept: 'text/event-stream' }

/** The lines' numbers. */
const numbersOf = (stream: string) => [...stream.matchAll(/"line":"(\d+) /g)].map(([, number]) => Number(number))

/** A follower that reads; resolves when it is connected. */
function follow(
  path: string,
  body?: string,
  headers: Record<string, string> = {},
): Promise<{ readonly ended: Promise<string> }> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    request({ port, path, method, agent: false, headers: { ...json, ...headers } }, (response) =>
      resolve({ ended: text(response) }),
    )
      .on('error', reject)
      .end(body)
  })
}

/** A follower that takes nothing until it is resumed. */
function deaf(path: string, body?: string): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  const head = [`${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1`, 'host: x', 'accept: text/event-stream']
  if (body !== undefined) head.push('content-type: application/json', `content-length: ${Buffer.byteLength(body)}`)
  socket.write(`${head.join('\r\n')}\r\n\r\n${body ?? ''}`)
  return socket
}

/** Everything that was sent to one, without an incomplete end. */
async function taken(socket: Socket): Promise<string> {
  // HTTP puts the length of each piece before it.
  const whole = (await text(socket)).replace(/\r\n[0-9a-f]+\r\n/g, '')
  return whole.slice(0, whole.lastIndexOf('\n\n'))
}

describe('followers of a run', () => {
  it('that stop reading are disconnected without effect on others, and can resume', async () => {
    const made = await hub.call(key, 'POST', '/v1/runs', { recipe: { template: 'act', dataset: [] } })
    const runId: string = made.json.id
    await hub.call(key, 'POST', `/v1/runs/${runId}/claim`, { worker: 'box' })
    const path = `/v1/runs/${runId}/logs?follow=true`
    const well: { readonly ended: Promise<string> }[] = []
    for (let n = 0; n < 9; n += 1) well.push(await follow(path), await follow('/graphql/stream', subscription(runId)))
    const stopped = [deaf(`${path}&strip_ansi=true`), deaf('/graphql/stream', subscription(runId, ', stripAnsi: true'))]
    await expect.poll(connections).toBe(20)

    const filler = 'x'.repeat(4000)
    for (let n = 0; n < CHUNKS; n += 1) {
      const lines = wholeLog.slice(n * LINES, (n + 1) * LINES).map((line) => `${line} ${filler}\n`)
      const report = { log_chunk: lines.join(''), ...(n === CHUNKS - 1 && { status: 'succeeded' }) }
      expect((await hub.call(key, 'POST', `/v1/runs/${runId}/report`, report)).status).toBe(200)
    }
    for (const stream of await Promise.all(well.map(({ ended }) => ended))) expect(numbersOf(stream)).toEqual(wholeLog)
    await expect.poll(connections).toBe(0)
    const [sse = '', graphql = ''] = await Promise.all(stopped.map(taken))
    for (const seen of [sse, graphql]) expect(seen).not.toMatch(/succeeded/i)
    const id =
      sse
        .match(/^id: \S+$/gm)
        ?.at(-1)
        ?.slice(4) ?? ''
    const rest = await follow(`${path}&strip_ansi=true`, undefined, { 'last-event-id': id })
    expect([...numbersOf(sse), ...numbersOf(await rest.ended)]).toEqual(wholeLog)
    const cursor = [...graphql.matchAll(/"cursor":"([^"]+)"/g)].at(-1)?.[1]
    const more = await follow('/graphql/stream', subscription(runId, `, after: "${cursor}"`))
    expect([...numbersOf(graphql), ...numbersOf(await more.ended)]).toEqual(wholeLog)
  })

  it('that do not read a long log cause no read-ahead', async () => {
    const made = await hub.call(key, 'POST', '/v1/runs', { recipe: { template: 'act', dataset: [] } })
    const runId: string = made.json.id
    await hub.call(key, 'POST', `/v1/runs/${runId}/claim`, { worker: 'box' })
    const log_chunk = `${'x'.repeat(4000)}\n`.repeat(LINES)
    for (let n = 0; n < CHUNKS; n += 1)
      expect((await hub.call(key, 'POST', `/v1/runs/${runId}/report`, { log_chunk })).status).toBe(200)
    const paths = [[`/v1/runs/${runId}/logs`], ['/graphql/stream', subscription(runId)]] as const
    for (const [path, body] of paths) {
      const batches = vi.spyOn(hub.running.deps.logs, 'logBatch')
      const socket = deaf(path, body)
      await expect.poll(() => batches.mock.calls.length).toBeGreaterThan(0)
      await expect.poll(connections).toBe(0)
      // What the kernel keeps for a connection is a few megabytes.
      expect(batches.mock.calls.length).toBeLessThan(CHUNKS / 2)
      batches.mockRestore()
      socket.destroy()
    }
  })

  it('share a connection only with holders of its token, which the hub generates', async () => {
    const url = `http://127.0.0.1:${port}/graphql/stream`
    const headers = { 'x-graphql-event-stream-token': 'mine' }
    const open = async () => (await fetch(url, { method: 'PUT', headers })).text()
    const [one, other] = [await open(), await open()]
    expect([one, other]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), expect.stringMatching(/^[0-9a-f-]{36}$/)])
    expect(one).not.toBe(other)
    // Callers without the token are not on an opened connection.
    const alone = await follow('/graphql/stream', JSON.stringify({ query: '{ __typename }' }))
    expect(await alone.ended).toContain('{"data":{"__typename":"Query"}}')
  })
})
