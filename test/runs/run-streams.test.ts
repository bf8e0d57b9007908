// @module-tag sampled
import { type AddressInfo, connect } from 'node:net'
import { describeOnce, inTorture } from '@hub/testing/torture'
import { pino } from 'pino'
import { describe, expect, it, vi } from 'vitest'
import { documentReader } from '../../rest-compat/engine/documents.ts'
import { restMount } from '../../rest-compat/engine/mount.ts'
import { handlers } from '../../rest-compat/runs/handlers.ts'
import { schema } from '../../schema/index.ts'
import { OpenStreams } from '../../src/http/open-streams.ts'
import { buildServer } from '../../src/http/server.ts'
import type { Viewer } from '../../src/operation/context.ts'
import { graphqlOperation } from '../../src/platform/signals.ts'
import { sweepLeases } from '../../src/runs/lease/sweep-leases.ts'
import { startHub } from '../../src/start-hub.ts'
import { type EventReader, readEvents, type SentEvent } from '../support/event-stream.ts'
import { type Json, places } from '../support/hub.ts'
import { readSubscription } from '../support/subscription.ts'
import { connectionsOf, linesOf, stepsOf, streamedRuns } from './support/streamed-runs.ts'

const lab = streamedRuns()
const { hub, claimed, report, follow } = lab

describeOnce('subscribers of one log', () => {
  it('share one execution of each event, with one document, variables and credential', async () => {
    const runId = await claimed()
    const FOLLOWERS = 10
    const executed: string[] = []
    const unwatch = graphqlOperation.watch(
      ({ name }) => executed.push(name),
      () => undefined,
    )
    const field = `runLog(runId: "${runId}") { events { line } cursor status }`
    const { url } = hub.running
    try {
      const alike = Array.from({ length: FOLLOWERS }, () => readSubscription(url, lab.key, field))
      const streams = await Promise.all([...alike, readSubscription(url, lab.ada.token, field)])
      await report(runId, { log_chunk: 'one\n' })
      for (const stream of streams) await stream.until(1)
      // The report itself is an operation of `/v1`, which has a name.
      expect(executed.filter((name) => name === '')).toHaveLength(2)
      for (const { events } of streams) expect(events[0]).toEqual(streams[0]?.events[0])
      await report(runId, { status: 'succeeded' })
      for (const stream of streams) await stream.ended
    } finally {
      unwatch()
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
    const there = await follow(runId, 'follow=true', {}, lab.other.url)
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
    const made = await hub.call(lab.key, 'POST', '/v1/runs', { recipe: { template: 'act', dataset: [] } })
    const stream = await follow(made.json.id)
    await hub.call(lab.key, 'POST', `/v1/runs/${made.json.id}/claim`, { worker: 'box' })
    await hub.call(lab.ada, 'POST', `/v1/runs/${made.json.id}/cancel`)
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
      const rest = await follow(runId, '', { 'last-event-id': id }, index % 2 ? lab.other.url : hub.running.url)
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
    expect((await hub.call(lab.key, 'POST', `/v1/runs/${runId}/report`, {})).status).toBe(409)
    await hub.call(lab.key, 'POST', `/v1/runs/${runId}/claim`, { worker: 'another' })
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
      const answer = await hub.send(lab.ada, 'GET', `/v1/runs/${runId}/logs`, { headers: { 'last-event-id': id } })
      expect([answer.status, places(answer)]).toEqual([422, [['header', 'last-event-id']]])
    }
  })

  it('of an imported run ends at once', async () => {
    const made = await hub.call(lab.ada, 'POST', '/v1/runs/import', {
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
      // No row keeps a NUL: each is an object.
      for (let n = 0; n < 5; n += 1)
        await report(runId, { log_chunk: `${n}\0\n`, ...(n === 4 && { status: 'succeeded' }) })
      await Promise.all(streams.map(({ ended }) => ended))
    } finally {
      objects.get = get
    }
    for (const { events } of streams) expect(linesOf(events)).toEqual(['0\0', '1\0', '2\0', '3\0', '4\0'])
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
    const reader = await hub.key(lab.ada, { scope: 'read' })
    const stream = await readEvents(`${hub.running.url}/v1/runs/${runId}/logs?follow=true`, reader)
    await report(runId, { log_chunk: 'one\n' })
    await stream.until(1)
    await hub.revoke(`update api_keys set revoked_at = now() where scope = 'read' and account_id = $1`, [lab.ada.id])
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
        authorization: `Bearer ${lab.ada.token}`,
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
    const log = subscribe(`runLog(runId: "${runId}") { events { ts stream line } cursor status }`, lab.other.url)
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
      lab.other.url,
      lab.ada.token,
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
    const headers: Record<string, string> = {
      authorization: `Bearer ${lab.ada.token}`,
      'content-type': 'application/json',
    }
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
