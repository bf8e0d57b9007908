// @module-tag sampled
import { type AddressInfo, connect } from 'node:net'
import { describeOnce, inTorture } from '@hub/testing/torture'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { documentReader } from '../../rest-compat/engine/documents.ts'
import { restMount } from '../../rest-compat/engine/mount.ts'
import { handlers } from '../../rest-compat/runs/handlers.ts'
import { schema } from '../../schema/index.ts'
import { OpenStreams } from '../../src/http/open-streams.ts'
import { buildServer } from '../../src/http/server.ts'
import type { Viewer } from '../../src/operation/context.ts'
import { sweepLeases } from '../../src/runs/lease/sweep-leases.ts'
import { type RunningHub, startHub } from '../../src/start-hub.ts'
import { type EventReader, readEvents, type SentEvent } from '../support/event-stream.ts'
import { contractHub, type Json, type Person, places, types } from '../support/hub.ts'
import { readSubscription } from '../support/subscription.ts'

const hub = contractHub()
/** Another hub over the same database and store. */
let other: RunningHub
let ada: Person
let key: string
beforeAll(async () => {
  const { config } = hub.running.deps
  other = await startHub({ ...config, port: 0, publicUrl: null }, pino({ level: 'silent' }))
  ada = await hub.person()
  key = await hub.key(ada, { scope: 'train' })
})
afterAll(() => other?.stop())

/** A run that the key holds. */
async function claimed(): Promise<string> {
  const made = await hub.call(key, 'POST', '/v1/runs', { recipe: { template: 'act', dataset: [] } })
  expect([made.status, made.json.errors]).toEqual([201, undefined])
  const taken = await hub.call(key, 'POST', `/v1/runs/${made.json.id}/claim`, { worker: 'box' })
  expect(taken.status).toBe(200)
  return made.json.id
}

async function report(runId: string, body: Json, headers: Record<string, string> = {}) {
  const answer = await hub.call(key, 'POST', `/v1/runs/${runId}/report`, body, headers)
  expect([answer.status, answer.json.errors]).toEqual([200, undefined])
  return answer
}

const follow = (runId: string, query = 'follow=true', headers: Record<string, string> = {}, url = hub.running.url) =>
  readEvents(`${url}/v1/runs/${runId}/logs?${query}`, ada.token, headers)
const connectionsOf = (app: FastifyInstance) =>
  new Promise<number>((resolve, reject) =>
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )
const linesOf = (events: readonly SentEvent[]) =>
  events.filter(({ event }) => event === 'log').map(({ data }) => data.line)
const stepsOf = (events: readonly SentEvent[]) =>
  events.filter(({ event }) => event === 'metric').map(({ data }) => data.step)

describeOnce('reportRun', () => {
  it('returns the run, and an Idempotency-Key returns it again and stores nothing', async () => {
    const runId = await claimed()
    const body = {
      log_chunk: 'one\n',
      metrics: [{ step: 1, loss: 0.5 }],
      progress: { iteration: 1, total_iterations: 4 },
    }
    const first = await report(runId, body, { 'idempotency-key': `report-${runId}` })
    expect(first.json).toMatchObject({
      id: runId,
      status: 'running',
      latest_metrics: { step: 1, loss: 0.5 },
      progress: { iteration: 1, total_iterations: 4, fraction: 0.25 },
      cancel_requested_at: null,
    })
    const again = await report(runId, body, { 'idempotency-key': `report-${runId}` })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect((await hub.send(ada, 'GET', `/v1/runs/${runId}/logs/download`)).text).toBe('one\n')
  })

  it('shows a cancel to the runner, which then may report it', async () => {
    const runId = await claimed()
    const early = await hub.call(key, 'POST', `/v1/runs/${runId}/report`, { status: 'canceled' })
    expect([early.status, places(early)]).toEqual([422, [['body', 'status']]])
    await hub.call(ada, 'POST', `/v1/runs/${runId}/cancel`)
    expect((await report(runId, {})).json.cancel_requested_at).not.toBeNull()
    expect((await report(runId, { status: 'canceled' })).json).toMatchObject({ status: 'canceled', cost_usd: 0 })
  })

  it('is rejected with the place of each invalid value', async () => {
    const runId = await claimed()
    const send = (body: Json) => hub.call(key, 'POST', `/v1/runs/${runId}/report`, body)
    const big = await send({ log_chunk: 'ü'.repeat(131_073) })
    expect([big.status, types(big), places(big)]).toEqual([413, ['too_large'], [['body', 'log_chunk']]])
    const infinite = await hub.send(key, 'POST', `/v1/runs/${runId}/report`, {
      headers: { 'content-type': 'application/json' },
      body: '{"metrics":[{"loss":1e999}]}',
    })
    expect([infinite.status, places(infinite)]).toEqual([422, [['body', 'metrics', 0, 'loss']]])
    const many = await send({ metrics: Array.from({ length: 100_000 }, () => ({ step: 1 })) })
    expect([many.status, types(many)]).toEqual([413, ['too_large']])
    expect((await send({ status: 'running' })).status).toBe(422)
    expect((await send({ log_seq: -1 })).status).toBe(422)
    const foreign = await hub.call(await hub.key(ada, { scope: 'train' }), 'POST', `/v1/runs/${runId}/report`, {})
    expect([foreign.status, types(foreign)]).toEqual([409, ['conflict.not_claimer']])
    const stranger = await hub.call(
      await hub.key(await hub.person(), { scope: 'train' }),
      'POST',
      `/v1/runs/${runId}/report`,
      {},
    )
    expect(stranger.status).toBe(404)
    expect((await hub.call(await hub.key(ada), 'POST', `/v1/runs/${runId}/report`, {})).status).toBe(403)
  })
})

describeOnce('a log', () => {
  it('downloads as it was sent, chunk after chunk, and without escapes on request', async () => {
    const runId = await claimed()
    const empty = await hub.send(ada, 'GET', `/v1/runs/${runId}/logs/download`)
    expect([empty.status, empty.text]).toEqual([200, ''])
    await report(runId, { log_chunk: '\u001b[31mréd\u001b[0m\n\u001b]0;no end' })
    await report(runId, { log_chunk: ' after\n\u0007' })
    const whole = await hub.send(ada, 'GET', `/v1/runs/${runId}/logs/download`)
    expect(whole.text).toBe('\u001b[31mréd\u001b[0m\n\u001b]0;no end after\n\u0007')
    expect(whole.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(whole.headers.get('content-disposition')).toBe(`attachment; filename=${runId}.log`)
    const plain = await hub.send(ada, 'GET', `/v1/runs/${runId}/logs/download?strip_ansi=true`)
    expect(plain.text).toBe('réd\n\u001b]0;no end after\n\u0007')
  })

  it('accepts any program output, including NULs and half characters', async () => {
    const runId = await claimed()
    await report(runId, { log_chunk: 'a\u0000b\n\ud800c\n\u2028d\n' })
    const stream = await follow(runId, '')
    await stream.ended
    expect(linesOf(stream.events)).toEqual(['a\u0000b', '\ufffdc', '\u2028d'])
  })

  it.each([
    ['/logs', 'tail=-1'],
    ['/logs', 'tail=1.5'],
    ['/logs', 'tail='],
    ['/logs', 'follow=maybe'],
    ['/logs', 'follow=1&follow=0'],
    ['/logs', 'lines=3'],
    ['/logs/download', 'strip_ansi=yes'],
    ['/logs/download', 'tail=3'],
  ])('of %s?%s is refused before it opens', async (path, query) => {
    const answer = await hub.send(ada, 'GET', `/v1/runs/${await claimed()}${path}?${query}`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      422,
      'application/problem+json; charset=utf-8',
    ])
    expect(places(answer)).toEqual([['query', query.split('=')[0]]])
  })

  it('is private: 404 if the run is not visible, 401 for anonymous callers, 405 for other methods', async () => {
    const runId = await claimed()
    for (const path of ['/logs', '/logs/download']) {
      const status = async (who: Person | null, method = 'GET', id = runId) =>
        (await hub.send(who, method, `/v1/runs/${id}${path}`)).status
      expect([await status(await hub.person()), await status(null), await status(ada, 'GET', 'run_no')]).toEqual([
        404, 401, 404,
      ])
      expect(await status(ada, 'POST')).toBe(405)
    }
  })
})

describeOnce('a stream', () => {
  it('replays the existing log and ends with the current status', async () => {
    const runId = await claimed()
    await report(runId, { log_chunk: 'one\ntwo\r\n', metrics: [{ step: 1 }, { step: 2, 'train/reward': 0.1 }] })
    await report(runId, { log_chunk: 'three' })
    const stream = await follow(runId, '')
    await stream.ended
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(stream.headers.get('x-accel-buffering')).toBe('no')
    expect(stream.others[0]).toBe('retry: 2000')
    expect(stream.events.map(({ event, data }) => [event, data])).toEqual([
      ['log', { ts: expect.stringMatching(/Z$/), stream: 'stdout', line: 'one' }],
      ['log', { ts: stream.events[0]?.data.ts, stream: 'stdout', line: 'two' }],
      ['log', { ts: expect.any(String), stream: 'stdout', line: 'three' }],
      ['metric', { step: 1 }],
      ['metric', { step: 2, 'train/reward': 0.1 }],
      ['end', { status: 'running' }],
    ])
    expect(new Set(stream.events.slice(0, -1).map(({ id }) => id)).size).toBe(5)
  })

  it.each([
    [0, []],
    [1, ['c2']],
    [2, ['c1', 'c2']],
    [3, ['b1', 'c1', 'c2']],
    [99, ['a1', 'b1', 'c1', 'c2']],
  ])('with a tail of %i begins there, with all metrics', async (tail, lines) => {
    const runId = await claimed()
    for (const log_chunk of ['a1\n', 'b1\n', 'c1\nc2\n']) await report(runId, { log_chunk, metrics: [{ step: 1 }] })
    const stream = await follow(runId, `tail=${tail}`)
    await stream.ended
    expect([linesOf(stream.events), stepsOf(stream.events).length]).toEqual([lines, 3])
  })

  it('omits escapes on request', async () => {
    const runId = await claimed()
    await report(runId, { log_chunk: '\u001b[1mbold\u001b[0m\n' })
    const [plain, raw] = [await follow(runId, 'strip_ansi=1'), await follow(runId, '')]
    await Promise.all([plain.ended, raw.ended])
    expect([linesOf(plain.events), linesOf(raw.events)]).toEqual([['bold'], ['\u001b[1mbold\u001b[0m']])
  })

  it('follows until the run has ended, on both hubs', async () => {
    const runId = await claimed()
    await report(runId, { log_chunk: '0\n' })
    const here = await follow(runId)
    const there = await follow(runId, 'follow=true', {}, other.url)
    await Promise.all([here.until(1), there.until(1)])
    for (let step = 1; step <= 20; step += 1)
      await report(runId, {
        log_chunk: `${step}\n${step}.5\n`,
        metrics: [{ step }],
        ...(step === 20 && { status: 'succeeded' }),
      })
    await Promise.all([here.ended, there.ended])
    const lines = ['0', ...Array.from({ length: 20 }, (_, index) => [`${index + 1}`, `${index + 1}.5`]).flat()]
    for (const { events } of [here, there]) {
      expect(linesOf(events)).toEqual(lines)
      expect(stepsOf(events)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
      expect(events.at(-1)).toMatchObject({ event: 'end', data: { status: 'succeeded' } })
    }
  })

  it('of a queued run waits for it, and shows notices of the hub', async () => {
    const made = await hub.call(key, 'POST', '/v1/runs', { recipe: { template: 'act', dataset: [] } })
    const stream = await follow(made.json.id)
    await hub.call(key, 'POST', `/v1/runs/${made.json.id}/claim`, { worker: 'box' })
    await hub.call(ada, 'POST', `/v1/runs/${made.json.id}/cancel`)
    const [notice] = await stream.until(1)
    expect(notice).toMatchObject({
      event: 'log',
      data: { stream: 'stderr', line: expect.stringMatching(/cancel|stop/i) },
    })
    await report(made.json.id, { status: 'canceled' })
    await stream.ended
    expect(stream.events.at(-1)?.data).toEqual({ status: 'canceled' })
  })

  it('resumes after any of its events, on either hub, without loss or repeat', async () => {
    const runId = await claimed()
    for (let n = 1; n <= 3; n += 1)
      await report(runId, { log_chunk: `${n}a\n${n}b\n`, metrics: [{ step: n }, { step: n + 0.5 }] })
    const whole = await follow(runId, '')
    await whole.ended
    const shown = (events: readonly SentEvent[]) =>
      events.map(({ event, data }) => [event, data.line ?? data.step ?? data.status])
    for (const [index, { id }] of whole.events.slice(0, -1).entries()) {
      const rest = await follow(runId, '', { 'last-event-id': id }, index % 2 ? other.url : hub.running.url)
      await rest.ended
      expect(shown(rest.events)).toEqual(shown(whole.events.slice(index + 1)))
    }
  })

  it('shows the log of a lost attempt, a notice, and none of its metrics', async () => {
    const runId = await claimed()
    const live = await follow(runId)
    await report(runId, { log_chunk: 'first\n', metrics: [{ step: 1 }] })
    await live.until(2)
    await hub.sql(`update runs set lease_expires_at = now() - interval '1 s' where id = $1`, [runId])
    await sweepLeases(hub.running.deps)
    expect((await hub.call(key, 'POST', `/v1/runs/${runId}/report`, {})).status).toBe(409)
    await hub.call(key, 'POST', `/v1/runs/${runId}/claim`, { worker: 'another' })
    await report(runId, { attempt: 2, log_chunk: 'second\n', metrics: [{ step: 100 }], status: 'succeeded' })
    const later = await follow(runId)
    await Promise.all([live.ended, later.ended])
    expect([stepsOf(live.events), stepsOf(later.events)]).toEqual([[1, 100], [100]])
    for (const { events } of [live, later]) {
      const log = events.filter(({ event }) => event === 'log').map(({ data }) => [data.stream, data.line])
      expect(log).toEqual([
        ['stdout', 'first'],
        ['stderr', expect.stringContaining('lease')],
        ['stdout', 'second'],
      ])
    }
  })

  it('with a Last-Event-ID of another run, or an invalid one, is rejected', async () => {
    const runId = await claimed()
    for (const id of ['9.0-0', '0.0-7', 'x', '5']) {
      const answer = await hub.send(ada, 'GET', `/v1/runs/${runId}/logs`, { headers: { 'last-event-id': id } })
      expect([answer.status, places(answer)]).toEqual([422, [['header', 'last-event-id']]])
    }
  })

  it('of an imported run ends at once', async () => {
    const made = await hub.call(ada, 'POST', '/v1/runs/import', {
      artifacts: { config_yaml: 'a: 1', metrics_summary: 'step 1' },
    })
    expect(made.status).toBe(201)
    const stream = await follow(made.json.id)
    await stream.ended
    expect(stream.events.map(({ event, data }) => [event, data])).toEqual([['end', { status: 'succeeded' }]])
  })

  it('shows the lines of a chunk that has only line ends', async () => {
    const runId = await claimed()
    await report(runId, { log_chunk: '\n'.repeat(20_000) })
    const stream = await follow(runId, '')
    await stream.ended
    expect(linesOf(stream.events)).toHaveLength(20_000)
  })

  it('of many followers reads each chunk from the store once', async () => {
    const runId = await claimed()
    const { objects } = hub.running.deps
    if (!objects) throw new Error('The hub has a store.')
    const gets: string[] = []
    const get = objects.get.bind(objects)
    objects.get = (storageKey, options) => {
      gets.push(storageKey)
      return get(storageKey, options)
    }
    const streams: EventReader[] = []
    try {
      for (let n = 0; n < 30; n += 1) streams.push(await follow(runId))
      for (let n = 0; n < 5; n += 1)
        await report(runId, { log_chunk: `${n}\n`, ...(n === 4 && { status: 'succeeded' }) })
      await Promise.all(streams.map(({ ended }) => ended))
    } finally {
      objects.get = get
    }
    for (const { events } of streams) expect(linesOf(events)).toEqual(['0', '1', '2', '3', '4'])
    expect(gets).toHaveLength(5)
  })
})

inTorture(() => {
  describe('a reader that stops reading', () => {
    it('is disconnected, without memory growth or effect on others', async () => {
      const runId = await claimed()
      const { deps } = hub.running
      const [row] = await hub.sql<Viewer>(
        `select 'session' as kind, 'sess_x' as "credentialId", array[owner_id] as "accountIds" from runs where id = $1`,
        [runId],
      )
      const viewer = { ...row, account: { id: '', kind: 'org' }, level: 'read', repoIds: null } as unknown as Viewer
      const streams = new OpenStreams()
      const app = buildServer(deps, {
        streams,
        // The reader next to it shares this process: on a busy machine neither may run for a second.
        connectionRules: { stall: { windowMs: 4000, minBytes: 1024 } },
        schema,
        rest: restMount({ schema, routes: [], handlers, readDocument: documentReader() }),
        authenticate: async () => viewer,
      })
      await app.listen({ port: 0, host: '127.0.0.1' })
      const { port } = app.server.address() as AddressInfo
      const deaf = connect(port, '127.0.0.1')
      try {
        const isCut = new Promise<void>((resolve) => deaf.once('close', () => resolve()))
        deaf.on('error', () => undefined)
        deaf.write(`GET /v1/runs/${runId}/logs?follow=true HTTP/1.1\r\nHost: hub\r\n\r\n`)
        deaf.pause()
        const well = await follow(runId, 'follow=true', {}, `http://127.0.0.1:${port}`)
        const chunk = `${'x'.repeat(1023)}\n`.repeat(256)
        for (let n = 0; n < 40; n += 1) await report(runId, { log_chunk: chunk })
        // The kernel keeps some of it for the reader; the hub notices when nothing more goes.
        await expect.poll(() => connectionsOf(app)).toBe(1)
        deaf.resume()
        await isCut
        await report(runId, { status: 'succeeded' })
        await well.ended
        expect(linesOf(well.events)).toHaveLength(40 * 256)
      } finally {
        deaf.destroy()
        await app.close()
      }
    })
  })
})

describeOnce('a reader whose key is revoked', () => {
  it('gets no more events, and no end', async () => {
    const runId = await claimed()
    const reader = await hub.key(ada, { scope: 'read' })
    const stream = await readEvents(`${hub.running.url}/v1/runs/${runId}/logs?follow=true`, reader)
    await report(runId, { log_chunk: 'one\n' })
    await stream.until(1)
    await hub.revoke(`update api_keys set revoked_at = now() where scope = 'read' and account_id = $1`, [ada.id])
    const now = performance.now.bind(performance)
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 31_000)
    try {
      await report(runId, { log_chunk: 'two\n' })
      await stream.ended
    } finally {
      clock.mockRestore()
    }
    expect(linesOf(stream.events)).toEqual(['one'])
    expect(stream.events.map(({ event }) => event)).toEqual(['log'])
  })
})

describeOnce('hubs that stop', () => {
  it('close their streams without an end, so that readers reconnect', async () => {
    const runId = await claimed()
    const third = await startHub({ ...hub.running.deps.config, port: 0, publicUrl: null }, pino({ level: 'silent' }))
    await report(runId, { log_chunk: 'one\n', metrics: [{ step: 1 }] })
    const stream = await follow(runId, 'follow=true', {}, third.url)
    await stream.until(2)
    await third.stop()
    await stream.ended
    expect(stream.events.map(({ event }) => event)).toEqual(['log', 'metric'])
    await report(runId, { log_chunk: 'two\n', status: 'failed' })
    const rest = await follow(runId, 'follow=true', { 'last-event-id': stream.events.at(-1)?.id ?? '' })
    await rest.ended
    expect(rest.events.map(({ event, data }) => [event, data.line ?? data.status])).toEqual([
      ['log', 'two'],
      ['end', 'failed'],
    ])
  })
})

describeOnce('subscriptions', () => {
  async function subscribe(query: string, url = hub.running.url): Promise<Json[]> {
    const response = await fetch(`${url}/graphql/stream`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${ada.token}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({ query: `subscription { ${query} }` }),
    })
    const text = await response.text()
    return text
      .split('\n\n')
      .filter((block) => block.startsWith('event: next'))
      .map((block) => JSON.parse(block.slice(block.indexOf('data: ') + 6)))
  }

  it('yield the same lines and metrics in batches, over both hubs', async () => {
    const runId = await claimed()
    await report(runId, { log_chunk: 'one\ntwo\n', metrics: [{ step: 1 }] })
    const log = subscribe(`runLog(runId: "${runId}") { events { ts stream line } cursor status }`, other.url)
    const metrics = subscribe(`runMetrics(runId: "${runId}") { events cursor status }`)
    await report(runId, { log_chunk: 'three\n', metrics: [{ step: 2 }] })
    await report(runId, { status: 'succeeded' })
    const lines = (await log).map(({ data }) => data.runLog)
    expect(lines.flatMap(({ events }) => events.map(({ line }: Json) => line))).toEqual(['one', 'two', 'three'])
    expect(lines.map(({ status }) => status).at(-1)).toBe('SUCCEEDED')
    expect((await metrics).flatMap(({ data }) => data.runMetrics.events)).toEqual([{ step: 1 }, { step: 2 }])
    const after = lines[0].cursor
    const rest = await subscribe(`runLog(runId: "${runId}", after: "${after}", follow: false) { events { line } }`)
    expect(rest.flatMap(({ data }) => data.runLog.events)).toEqual(
      lines.slice(1).flatMap(({ events }) => events.map(({ line }: Json) => ({ line }))),
    )
  })

  it('of a run yield its current state, and again after each change', async () => {
    const runId = await claimed()
    const reader = await readSubscription(
      other.url,
      ada.token,
      `runUpdated(runId: "${runId}") { status latestMetrics }`,
    )
    await reader.until(1)
    await report(runId, { metrics: [{ step: 1 }] })
    await reader.until(2)
    await report(runId, { status: 'failed' })
    await reader.ended
    expect(reader.events.map(({ runUpdated }) => runUpdated)).toEqual([
      { status: 'RUNNING', latestMetrics: null },
      { status: 'RUNNING', latestMetrics: { step: 1 } },
      { status: 'FAILED', latestMetrics: { step: 1 } },
    ])
  })

  it('last as long as their connection in single connection mode', async () => {
    const runId = await claimed()
    const url = `${hub.running.url}/graphql/stream`
    const headers: Record<string, string> = { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' }
    const token = await (await fetch(url, { method: 'PUT', headers })).text()
    headers['x-graphql-event-stream-token'] = token
    const stream = await fetch(url, { headers: { ...headers, accept: 'text/event-stream' } })
    const query = `subscription { runLog(runId: "${runId}") { events { line } status } }`
    const body = JSON.stringify({ query, extensions: { operationId: 'one' } })
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(202)
    await report(runId, { log_chunk: 'late\n', status: 'succeeded' })
    let text = ''
    for await (const piece of stream.body ?? []) {
      text += Buffer.from(piece).toString()
      if (text.includes('event: complete')) break
    }
    expect(text).toContain('late')
    expect(text).toContain('SUCCEEDED')
  })

  it('reject a negative tail, an invalid cursor, and a run that is not visible', async () => {
    const runId = await claimed()
    const code = async (query: string) => {
      const [answer] = await subscribe(query)
      return answer?.errors?.[0]?.extensions.status
    }
    expect(await code(`runLog(runId: "${runId}", tail: -1) { cursor }`)).toBe(422)
    expect(await code(`runLog(runId: "${runId}", after: "nine") { cursor }`)).toBe(422)
    expect(await code('runLog(runId: "run_no") { cursor }')).toBe(404)
  })
})
