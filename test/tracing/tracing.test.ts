/** Traces of a hub, as a collector receives them. */

import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDouble } from '@hub/testing/double'
import type { SpanExporter } from '@opentelemetry/sdk-trace'
import Fastify from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/platform/config.ts'
import { backgroundJob } from '../../src/platform/signals.ts'
import { type RunningHub, startHub } from '../../src/start-hub.ts'
import { startTracing, type Tracing } from '../../src/tracing/tracing.ts'
import { testDb } from '../support/database.ts'

const root = join(import.meta.dirname, '../..')

interface Received {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly failed: boolean
  readonly attributes: Readonly<Record<string, unknown>>
}

type Json = ReturnType<typeof JSON.parse>

const database = testDb()
const bodies: string[] = []
let collector: Server
let hub: RunningHub
let tracing: Tracing
let dataDir: string

const spans = (): Received[] =>
  bodies.flatMap((body) =>
    JSON.parse(body).resourceSpans.flatMap(({ scopeSpans }: Json) =>
      scopeSpans.flatMap(({ spans: sent }: Json) =>
        sent.map((span: Json) => ({
          ...span,
          parentSpanId: span.parentSpanId || undefined,
          failed: span.status?.code === 2,
          attributes: Object.fromEntries(span.attributes.map(({ key, value }: Json) => [key, Object.values(value)[0]])),
        })),
      ),
    ),
  )

const variable = 'OTEL_EXPORTER_OTLP_ENDPOINT'
const before = process.env[variable]

beforeAll(async () => {
  collector = createDouble(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    if (request.url === '/v1/traces') bodies.push(body)
    response.setHeader('content-type', 'application/json').end('{}')
  })
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  process.env[variable] = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
  tracing = startTracing({ sampledShare: 1 })
  dataDir = await mkdtemp(join(tmpdir(), 'hub-traces-'))
  const config = readConfig({
    PORT: '0',
    DATABASE_URL: database.url,
    HUB_SECRET: 'a secret of more than thirty-two characters',
    HUB_DATA_DIR: dataDir,
  })
  hub = await startHub(config, pino({ level: 'silent' }), { watchRequests: tracing.watchRequests })
  await ask()
  await hub.stop()
  await tracing.stop()
})
afterAll(async () => {
  if (before === undefined) delete process.env[variable]
  else process.env[variable] = before
  collector?.close()
  await rm(dataDir, { recursive: true, force: true })
})

const traceId = '0af7651916cd43dd8448eb211c80319c'

async function ask(): Promise<void> {
  const headers = {
    authorization: `Bearer ${hub.operatorToken}`,
    'content-type': 'application/json',
    cookie: 'hub_session=hidden-cookie',
  }
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`
  const body = JSON.stringify({
    query: 'query Mine($slug: String!) { repo(owner: "hub", slug: $slug) { id } viewer { __typename } }',
    variables: { slug: 'hidden-variable' },
  })
  await fetch(`${hub.url}/graphql?hidden=query`, {
    method: 'POST',
    headers: { ...headers, traceparent, 'x-request-id': 'asked-1' },
    body,
  })
  await fetch(`${hub.url}/v1/repos/hidden-owner/hidden-repo`, { headers })
  await fetch(`${hub.url}/v1/repos`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ kind: 'robot', slug: 'hidden-slug' }),
  })
  await backgroundJob
    .follow({ name: 'files-collect' }, () =>
      Promise.reject(Object.assign(new Error('hidden-error'), { code: '53100' })),
    )
    .catch(() => undefined)
}

const find = (name: string): Received => {
  const found = spans().find((span) => span.name === name)
  if (!found) throw new Error(`There is no span ${name}: ${[...new Set(spans().map((span) => span.name))].join(', ')}`)
  return found
}

describe('a trace', () => {
  it('of a request continues that of its client, and has its operation and statements', () => {
    const request = find('POST /graphql')
    expect(request).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331', failed: false })
    expect(request.attributes).toMatchObject({
      'http.route': '/graphql',
      'http.response.status_code': 200,
      'hub.request_id': 'asked-1',
    })
    const operation = find('graphql Mine')
    expect(operation).toMatchObject({ traceId, parentSpanId: request.spanId })
    const statements = spans().filter((span) => span.traceId === traceId && span.name.startsWith('sql '))
    expect(statements.map(({ parentSpanId }) => parentSpanId)).toContain(operation.spanId)
    expect(statements.map(({ attributes }) => attributes['db.system.name'])).toContain('postgresql')
  })

  it('of a route is named by its pattern, and its operation by that of the API', () => {
    const request = find('GET /v1/repos/:owner/:repo')
    expect([request.parentSpanId, request.attributes['http.response.status_code']]).toEqual([undefined, 404])
    expect(find('graphql getRepo')).toMatchObject({
      traceId: request.traceId,
      parentSpanId: request.spanId,
      failed: false,
    })
  })

  it('of a request with a body keeps to it what is done after the body has come', () => {
    const { traceId: made } = find('POST /v1/repos')
    expect(find('graphql createRepo').traceId).toBe(made)
  })

  it('of a background job that fails says what kind of error it was', () => {
    // The hub's own may have run meanwhile.
    const runs = spans().filter(({ name }) => name === 'job files-collect')
    const failed = expect.objectContaining({
      failed: true,
      attributes: expect.objectContaining({ 'error.type': '53100' }),
    })
    expect(runs).toContainEqual(failed)
  })

  it('has nothing that a client sent, no text of an error and no credential', () => {
    const sent = bodies.join('\n')
    expect(sent.length).toBeGreaterThan(1000)
    expect(sent).not.toContain('hidden')
    expect(sent).not.toContain(hub.operatorToken)
    expect(sent).toContain('"service.name"')
  })
})

describe('the share of traces that is sent', () => {
  it('is that of the operator, whatever id and decision a client sends', async () => {
    let sent = 0
    const counting: SpanExporter = {
      export: (batch, done) => {
        sent += batch.length
        done({ code: 0 })
      },
      shutdown: async () => undefined,
    }
    const one = startTracing({ sampledShare: 0.01 }, counting)
    const app = Fastify()
    one.watchRequests(app)
    app.get('/', async () => 'ok')
    const traceparent = `00-${'0'.repeat(31)}1-b7ad6b7169203331-01`
    await Promise.all(Array.from({ length: 200 }, () => app.inject({ url: '/', headers: { traceparent } })))
    await one.stop()
    await app.close()
    // Two are expected; 50 would come once in 10^45 times.
    expect(sent).toBeLessThan(50)
  })
})

describe('without a collector', () => {
  it('nothing of it is loaded: one place names it, and loads it only then', () => {
    const naming = globSync('src/**/*.ts', { cwd: root }).filter(
      (file) => !file.startsWith('src/tracing/') && /tracing\/tracing/.test(readFileSync(join(root, file), 'utf8')),
    )
    expect(naming).toEqual(['src/serve.ts'])
    const lines = readFileSync(join(root, 'src/serve.ts'), 'utf8')
      .split('\n')
      .filter((line) => line.includes('tracing/tracing'))
    expect(lines).toEqual([expect.stringMatching(/config\.traces \? \(await import\('\.\/tracing\/tracing\.ts'\)\)/)])
  })
})
