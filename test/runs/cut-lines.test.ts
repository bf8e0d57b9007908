/** A line of a log that reports share is one event, on every way to read it. Contract, "Logs and streams". */
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningHub, startHub } from '../../src/start-hub.ts'
import { checksOf, goodReport } from '../support/checks.ts'
import { readEvents, type SentEvent } from '../support/event-stream.ts'
import { contractHub, type Json, type Person } from '../support/hub.ts'
import { readSubscription } from '../support/subscription.ts'

const hub = contractHub()
const checks = checksOf(hub)
/** Another hub over the same database and store. */
let other: RunningHub
let ada: Person
let key: string
beforeAll(async () => {
  other = await startHub({ ...hub.running.deps.config, port: 0, publicUrl: null }, pino({ level: 'silent' }))
  ada = await hub.person()
  key = await hub.key(ada, { scope: 'train' })
})
afterAll(() => other?.stop())

async function claimed(): Promise<string> {
  const { id } = (await hub.call(key, 'POST', '/v1/runs', { recipe: { template: 'act' } })).json
  expect((await hub.call(key, 'POST', `/v1/runs/${id}/claim`, { worker: 'box' })).status).toBe(200)
  return id
}
const report = async (run: string, body: Json) =>
  expect((await hub.call(key, 'POST', `/v1/runs/${run}/report`, body)).status).toBe(200)
const follow = (path: string, query: string, headers: Record<string, string> = {}, url = hub.running.url) =>
  readEvents(`${url}/v1${path}/logs?${query}`, ada.token, headers)
const linesOf = (events: readonly SentEvent[]) =>
  events.filter(({ event }) => event === 'log').map(({ data }) => data.line)

describe('a line that three reports share', () => {
  it('is one event for followers on both hubs, for one that comes between, and for one that goes on', async () => {
    const run = await claimed()
    const [here, there] = [
      await follow(`/runs/${run}`, 'follow=true'),
      await follow(`/runs/${run}`, 'follow=true', {}, other.url),
    ]
    await report(run, { log_chunk: 'first\nsec', metrics: [{ step: 1 }] })
    // The metric comes after what there is of the log, so nothing of the line has been sent.
    await Promise.all([here.until(2), there.until(2)])
    const between = await follow(`/runs/${run}`, 'follow=true&tail=1')
    await report(run, { log_chunk: 'on', metrics: [{ step: 2 }] })
    await here.until(3)
    here.close()
    const goesOn = await follow(
      `/runs/${run}`,
      'follow=true',
      { 'last-event-id': here.events.at(-1)?.id ?? '' },
      other.url,
    )
    await hub.call(ada, 'POST', `/v1/runs/${run}/cancel`)
    await report(run, { log_chunk: 'd\nthird\n', status: 'canceled' })
    await Promise.all([there, between, goesOn].map(({ ended }) => ended))
    const notice = `${ada.handle} requested the run to stop.`
    expect(linesOf(there.events)).toEqual(['first', notice, 'second', 'third'])
    expect(linesOf(between.events)).toEqual([notice, 'second', 'third'])
    expect([...linesOf(here.events), ...linesOf(goesOn.events)]).toEqual(['first', notice, 'second', 'third'])
    const again = await follow(`/runs/${run}`, '')
    await again.ended
    const log = (events: readonly SentEvent[]) => events.filter(({ event }) => event === 'log')
    expect(log(again.events)).toEqual(log(there.events).map((event) => ({ ...event, id: expect.any(String) })))
    const tail = await follow(`/runs/${run}`, 'tail=2')
    await tail.ended
    expect(linesOf(tail.events)).toEqual(['second', 'third'])
    const download = await hub.send(ada, 'GET', `/v1/runs/${run}/logs/download`)
    expect(download.text).toBe(`first\n${notice}\nsecond\nthird\n`)
  })

  it('is one line of the graph, in pages and in the subscription', async () => {
    const run = await claimed()
    const live = await readSubscription(
      hub.running.url,
      ada.token,
      `runLog(runId: "${run}") { events { line } status }`,
    )
    for (const log_chunk of ['o', 'n', 'e\ntw']) await report(run, { log_chunk })
    const page = async (args: string) => {
      const query = `{ runLog(runId: "${run}"${args}) { nodes { line } pageInfo { endCursor } } }`
      const { nodes, pageInfo } = (await hub.graphql(ada, query)).data.runLog
      return { lines: nodes.map(({ line }: Json) => line), after: pageInfo.endCursor }
    }
    const first = await page('')
    expect(first.lines).toEqual(['one', 'tw'])
    await report(run, { log_chunk: 'o\n', status: 'succeeded' })
    expect((await page('')).lines).toEqual(['one', 'two'])
    expect((await page(', tail: 1')).lines).toEqual(['two'])
    expect((await page(`, after: "${first.after}"`)).lines).toEqual(['two'])
    await live.ended
    expect(live.events.flatMap(({ runLog }) => runLog.events.map(({ line }: Json) => line))).toEqual(['one', 'two'])
  })

  it('that is not finished when the run ends is the last event before the end', async () => {
    const run = await claimed()
    const live = await follow(`/runs/${run}`, 'follow=true')
    await report(run, { log_chunk: 'Traceback', metrics: [{ step: 1 }] })
    await live.until(1)
    await report(run, { status: 'failed', error: 'broke' })
    await live.ended
    expect(live.events.map(({ event }) => event)).toEqual(['metric', 'log', 'end'])
    expect(linesOf(live.events)).toEqual(['Traceback'])
    const rest = await follow(`/runs/${run}`, 'follow=true', { 'last-event-id': live.events[1]?.id ?? '' })
    await rest.ended
    expect(rest.events.map(({ event }) => event)).toEqual(['end'])
  })

  it('is one line of the log of a check too', async () => {
    const check = await checks.claimed(key, await checks.robot(ada))
    const live = await follow(`/robot-checks/${check}`, 'follow=true')
    for (const log_chunk of ['comp', 'iling\nste', 'pping']) await checks.report(key, check, { log_chunk })
    await checks.report(key, check, { status: 'succeeded', report: goodReport })
    await live.ended
    const again = await follow(`/robot-checks/${check}`, 'tail=2')
    await again.ended
    for (const { events } of [live, again]) expect(linesOf(events)).toEqual(['compiling', 'stepping'])
    const download = await hub.send(ada, 'GET', `/v1/robot-checks/${check}/logs/download`)
    expect(download.text).toBe('compiling\nstepping')
  })
})
