import { beforeAll, describe, expect, it } from 'vitest'
import { readEvents } from '../support/event-stream.ts'
import { contractHub, type Json, type Person } from '../support/hub.ts'
import { putRun } from '../support/runs.ts'

const hub = contractHub()
let ada: Person

beforeAll(async () => {
  ada = await hub.person()
})

async function claimed(): Promise<string> {
  const id = await putRun(hub.running.deps.db, { ownerId: ada.id })
  expect((await hub.call(ada, 'POST', `/v1/runs/${id}/claim`, { worker: 'box' })).status).toBe(200)
  return id
}
const report = async (run: string, body: Json) =>
  expect((await hub.call(ada, 'POST', `/v1/runs/${run}/report`, body)).status).toBe(200)
const stream = (run: string, query = '', headers: Record<string, string> = {}) =>
  readEvents(new URL(`/v1/runs/${run}/logs${query}`, hub.running.url).href, ada.token, headers)

describe('a stream that fails after it opened', () => {
  it('sends an `error` event with the Problem, has no end, and can be resumed', async () => {
    const run = await claimed()
    await report(run, { log_chunk: 'one\n' })
    // No row keeps a NUL: it is an object.
    await report(run, { log_chunk: 'two\0\n' })
    const [chunk] = await hub.sql<{ key: string }>(
      'select storage_key as key from run_log_chunks where run_id = $1 and seq = 2',
      [run],
    )
    await hub.sql(`update run_log_chunks set storage_key = storage_key || '.gone' where run_id = $1 and seq = 2`, [run])
    const broken = await stream(run)
    await broken.ended
    expect(broken.status).toBe(200)
    expect(broken.events.map(({ event, data }) => [event, data.line])).toEqual([['log', 'one']])
    const said = broken.others.find((block) => block.startsWith('event: error\n')) ?? ''
    const problem = JSON.parse(said.slice(said.indexOf('data: ') + 6))
    expect(problem).toMatchObject({
      status: expect.any(Number),
      title: expect.any(String),
      request_id: broken.headers.get('x-request-id'),
      errors: [{ type: problem.type.replace('/problems/', '') }],
    })
    expect(problem.status).toBeGreaterThanOrEqual(500)
    expect(said).not.toContain('.gone')
    await hub.sql('update run_log_chunks set storage_key = $2 where run_id = $1 and seq = 2', [run, chunk?.key])
    const again = await stream(run, '', { 'last-event-id': broken.events[0]?.id ?? '' })
    await again.ended
    expect(again.events.map(({ event, data }) => [event, data.line ?? data.status])).toEqual([
      ['log', 'two\0'],
      ['end', 'running'],
    ])
  })
})

describe('a log', () => {
  it('has one line each, of one chunk with one time, and the notices of the hub as stderr', async () => {
    const run = await claimed()
    await report(run, { log_chunk: 'a\nb\n', metrics: [{ step: 1, loss: 2 }] })
    await hub.call(ada, 'POST', `/v1/runs/${run}/cancel`)
    await report(run, { log_chunk: 'c\n', status: 'canceled' })
    const read = await stream(run, '?follow=true&tail=2')
    await read.ended
    const log = read.events.filter(({ event }) => event === 'log').map(({ data }) => data)
    expect(log.map(({ stream: from, line }) => [from, line])).toEqual([
      ['stderr', `${ada.handle} requested the run to stop.`],
      ['stdout', 'c'],
    ])
    expect(Object.keys(log[0])).toEqual(['ts', 'stream', 'line'])
    const metrics = read.events.filter(({ event }) => event === 'metric').map(({ data }) => data)
    expect([metrics, read.events.at(-1)?.data]).toEqual([[{ step: 1, loss: 2 }], { status: 'canceled' }])
    const all = await stream(run)
    await all.ended
    const [first, second] = all.events.filter(({ event }) => event === 'log').map(({ data }) => data)
    expect([first.line, second.line, first.ts === second.ts]).toEqual(['a', 'b', true])
  })

  it('of an imported run is empty to download, and its stream is an end', async () => {
    const artifacts = { config_yaml: 'a: 1', metrics_summary: 'x' }
    const { id } = (await hub.call(ada, 'POST', '/v1/runs/import', { artifacts, status: 'failed' })).json
    const download = await hub.send(ada, 'GET', `/v1/runs/${id}/logs/download`)
    expect([download.status, download.text]).toEqual([200, ''])
    const read = await stream(id, '?follow=true')
    await read.ended
    expect(read.events.map(({ event, data }) => [event, data])).toEqual([['end', { status: 'failed' }]])
  })
})
