/** What a report answers, and the log that it leaves. */
import { describe, expect, it } from 'vitest'
import { type Json, type Person, places, types } from '../support/hub.ts'
import { linesOf, streamedRuns } from './support/streamed-runs.ts'

const lab = streamedRuns()
const { hub, claimed, report, follow } = lab

describe('reportRun', () => {
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
    expect((await hub.send(lab.ada, 'GET', `/v1/runs/${runId}/logs/download`)).text).toBe('one\n')
  })

  it('shows a cancel to the runner, which then may report it', async () => {
    const runId = await claimed()
    const early = await hub.call(lab.key, 'POST', `/v1/runs/${runId}/report`, { status: 'canceled' })
    expect([early.status, places(early)]).toEqual([422, [['body', 'status']]])
    await hub.call(lab.ada, 'POST', `/v1/runs/${runId}/cancel`)
    expect((await report(runId, {})).json.cancel_requested_at).not.toBeNull()
    expect((await report(runId, { status: 'canceled' })).json).toMatchObject({ status: 'canceled', cost_usd: 0 })
  })

  it('is rejected with the place of each invalid value', async () => {
    const runId = await claimed()
    const send = (body: Json) => hub.call(lab.key, 'POST', `/v1/runs/${runId}/report`, body)
    const big = await send({ log_chunk: 'ü'.repeat(131_073) })
    expect([big.status, types(big), places(big)]).toEqual([413, ['too_large'], [['body', 'log_chunk']]])
    const infinite = await hub.send(lab.key, 'POST', `/v1/runs/${runId}/report`, {
      headers: { 'content-type': 'application/json' },
      body: '{"metrics":[{"loss":1e999}]}',
    })
    expect([infinite.status, places(infinite)]).toEqual([422, [['body', 'metrics', 0, 'loss']]])
    const many = await send({ metrics: Array.from({ length: 100_000 }, () => ({ step: 1 })) })
    expect([many.status, types(many)]).toEqual([413, ['too_large']])
    expect((await send({ status: 'running' })).status).toBe(422)
    expect((await send({ log_seq: -1 })).status).toBe(422)
    const foreign = await hub.call(await hub.key(lab.ada, { scope: 'train' }), 'POST', `/v1/runs/${runId}/report`, {})
    expect([foreign.status, types(foreign)]).toEqual([409, ['conflict.not_claimer']])
    const stranger = await hub.call(
      await hub.key(await hub.person(), { scope: 'train' }),
      'POST',
      `/v1/runs/${runId}/report`,
      {},
    )
    expect(stranger.status).toBe(404)
    expect((await hub.call(await hub.key(lab.ada), 'POST', `/v1/runs/${runId}/report`, {})).status).toBe(403)
  })
})

describe('a log', () => {
  it('downloads as it was sent, chunk after chunk, and without escapes on request', async () => {
    const runId = await claimed()
    const empty = await hub.send(lab.ada, 'GET', `/v1/runs/${runId}/logs/download`)
    expect([empty.status, empty.text]).toEqual([200, ''])
    await report(runId, { log_chunk: '\u001b[31mréd\u001b[0m\n\u001b]0;no end' })
    await report(runId, { log_chunk: ' after\n\u0007' })
    const whole = await hub.send(lab.ada, 'GET', `/v1/runs/${runId}/logs/download`)
    expect(whole.text).toBe('\u001b[31mréd\u001b[0m\n\u001b]0;no end after\n\u0007')
    expect(whole.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(whole.headers.get('content-disposition')).toBe(`attachment; filename=${runId}.log`)
    const plain = await hub.send(lab.ada, 'GET', `/v1/runs/${runId}/logs/download?strip_ansi=true`)
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
    const answer = await hub.send(lab.ada, 'GET', `/v1/runs/${await claimed()}${path}?${query}`)
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
      expect([await status(await hub.person()), await status(null), await status(lab.ada, 'GET', 'run_no')]).toEqual([
        404, 401, 404,
      ])
      expect(await status(lab.ada, 'POST')).toBe(405)
    }
  })
})
