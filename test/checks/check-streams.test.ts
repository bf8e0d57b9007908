/** The log of a check over both dialects, and its subscriptions, as runs have them. Contract, "Subscriptions", "Logs and streams". */
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type RunningHub, startHub } from '../../src/start-hub.ts'
import { checksOf, goodReport } from '../support/checks.ts'
import { readEvents, type SentEvent } from '../support/event-stream.ts'
import { contractHub, type Json, type Person, places, types, type Who } from '../support/hub.ts'
import { readSubscription } from '../support/subscription.ts'

const hub = contractHub()
const checks = checksOf(hub)
/** Another hub over the same database and store. */
let other: RunningHub
let ada: Person
let key: string
let robot: string

beforeAll(async () => {
  other = await startHub({ ...hub.running.deps.config, port: 0, publicUrl: null }, pino({ level: 'silent' }))
  ada = await hub.person()
  key = await hub.key(ada)
  robot = await checks.robot(ada)
})
afterAll(() => other?.stop())

const claimed = () => checks.claimed(key, robot)
const report = (check: string, body: Json) => checks.report(key, check, body)
const logsOf = (check: string, rest = '') => `/v1/robot-checks/${check}/logs${rest}`
const follow = (check: string, query = 'follow=true', headers: Record<string, string> = {}, url = hub.running.url) =>
  readEvents(`${url}${logsOf(check)}?${query}`, ada.token, headers)
const linesOf = (events: readonly SentEvent[]) =>
  events.filter(({ event }) => event === 'log').map(({ data }) => data.line)

/** The hub looks after half a minute whether a follower may still see the job. */
async function halfAMinuteLater(act: () => Promise<unknown>): Promise<void> {
  const now = performance.now.bind(performance)
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 31_000)
  try {
    await act()
  } finally {
    clock.mockRestore()
  }
}

describe('the log of a check', () => {
  it('downloads whole, past the 64 KiB that the check shows of it', async () => {
    const check = await claimed()
    expect((await hub.send(ada, 'GET', logsOf(check, '/download'))).text).toBe('')
    const first = `\u001b[31mbegin\u001b[0m\n${'é'.repeat(60_000)}\n`
    await report(check, { log_chunk: first })
    const { log_tail } = await report(check, { log_chunk: 'end\n' })
    expect(Buffer.byteLength(log_tail)).toBeLessThanOrEqual(65_536)
    const whole = await hub.send(ada, 'GET', logsOf(check, '/download'))
    expect([whole.status, whole.text === `${first}end\n`]).toEqual([200, true])
    expect(whole.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(whole.headers.get('content-disposition')).toBe(`attachment; filename=${check}.log`)
    const plain = await hub.send(ada, 'GET', logsOf(check, '/download?strip_ansi=true'))
    expect(plain.text.startsWith('begin\n')).toBe(true)
  })

  it('is followed on another hub until the check has ended', async () => {
    const check = await claimed()
    await report(check, { log_chunk: 'one\ntwo\n' })
    const stream = await follow(check, 'follow=true', {}, other.url)
    await stream.until(2)
    await report(check, { log_chunk: 'three\n' })
    await report(check, { status: 'succeeded', report: goodReport })
    await stream.ended
    expect(linesOf(stream.events)).toEqual(['one', 'two', 'three'])
    expect(stream.events.at(-1)).toMatchObject({ event: 'end', data: { status: 'succeeded' } })
  })

  it('goes on after any of its events, on either hub, without loss or repeat', async () => {
    const check = await claimed()
    await report(check, { log_chunk: 'a\nb\n' })
    await report(check, { log_chunk: 'c\nd\n', status: 'failed', error: 'broke' })
    const all = await follow(check)
    await all.ended
    for (const [at, { id }] of all.events.entries()) {
      const rest = await follow(check, 'follow=true', { 'last-event-id': id }, at % 2 ? other.url : hub.running.url)
      await rest.ended
      // The end is said again to who has seen it.
      expect(rest.events).toEqual(at === 4 ? all.events.slice(4) : all.events.slice(at + 1))
    }
  })

  it('of a canceled check ends with `canceled`, and a tail is its last lines', async () => {
    const check = await claimed()
    await report(check, { log_chunk: 'a\nb\nc\n' })
    const stream = await follow(check)
    await stream.until(3)
    await checks.post(ada, check, 'cancel')
    await stream.ended
    expect(stream.events.at(-1)).toMatchObject({ event: 'end', data: { status: 'canceled' } })
    const tail = await follow(check, 'tail=2')
    await tail.ended
    expect(linesOf(tail.events)).toEqual(['b', 'c'])
  })

  it('is 404 for a caller who does not see the check, 401 without a credential, 405 for other methods, 422 for another query', async () => {
    const check = await claimed()
    const elsewhere = await hub.key(ada, { repos: [await hub.repo(ada)] })
    for (const path of ['', '/download']) {
      const status = async (who: Who, method = 'GET', id = check) =>
        (await hub.send(who, method, logsOf(id, path))).status
      expect([await status(await hub.person()), await status(elsewhere), await status(null)]).toEqual([404, 404, 401])
      expect([await status(ada, 'GET', 'check_no'), await status(ada, 'POST')]).toEqual([404, 405])
      const refused = await hub.send(ada, 'GET', logsOf(check, `${path}?lines=3`))
      expect([refused.status, places(refused)]).toEqual([422, [['query', 'lines']]])
    }
    const beyond = await hub.send(ada, 'GET', logsOf(check), { headers: { 'last-event-id': '99.0-0' } })
    expect([beyond.status, beyond.json.errors[0].detail]).toEqual([422, 'The position is not one of this check.'])
    expect(types(await hub.send(ada, 'GET', logsOf('run_no')))).toEqual(['not_found'])
  })

  it('ends without an end for a reader whose key was revoked', async () => {
    const check = await claimed()
    const reader = await hub.key(ada, { scope: 'read', name: 'a reader of checks' })
    const stream = await readEvents(`${hub.running.url}${logsOf(check)}?follow=true`, reader)
    await report(check, { log_chunk: 'one\n' })
    await stream.until(1)
    await hub.revoke(`update api_keys set revoked_at = now() where name = 'a reader of checks' and account_id = $1`, [
      ada.id,
    ])
    await halfAMinuteLater(async () => {
      await report(check, { log_chunk: 'two\n' })
      await stream.ended
    })
    expect(stream.events.map(({ event, data }) => [event, data.line])).toEqual([['log', 'one']])
  })
})

describe('the subscription robotCheckLog', () => {
  const ask = (check: string, after = '') =>
    `robotCheckLog(checkId: "${check}"${after}) { events { stream line } cursor status }`
  const said = (batches: Json[]): string[] =>
    batches.flatMap(({ robotCheckLog }) => robotCheckLog.events.map(({ line }: Json) => line))

  it('yields lines as they come on another hub, and resumes after a cursor', async () => {
    const check = await claimed()
    await report(check, { log_chunk: 'one\ntwo\n' })
    const reader = await readSubscription(other.url, ada.token, ask(check))
    const [first] = await reader.until(1)
    await report(check, { log_chunk: 'three\n' })
    await report(check, { status: 'failed', error: 'broke' })
    await reader.ended
    expect(said(reader.events)).toEqual(['one', 'two', 'three'])
    expect(reader.events.at(-1).robotCheckLog.status).toBe('FAILED')
    const rest = await readSubscription(
      hub.running.url,
      ada.token,
      ask(check, `, after: "${first.robotCheckLog.cursor}"`),
    )
    await rest.ended
    expect(said(rest.events)).toEqual(['three'])
  })

  it('is refused with a cursor that is none, and on a check that is not visible', async () => {
    const check = await claimed()
    const status = async (field: string, token = ada.token) => {
      const reader = await readSubscription(hub.running.url, token, field)
      await reader.ended
      return reader.events[0]?.errors?.[0]?.extensions.status
    }
    expect(await status(ask(check, ', after: "nine"'))).toBe(422)
    expect(await status(ask(check), (await hub.person()).token)).toBe(404)
    expect(await status(ask('check_no'))).toBe(404)
  })
})

describe('the query robotCheckLog', () => {
  it('pages through the log, and the subscription goes on from its cursors', async () => {
    const check = await claimed()
    await report(check, { log_chunk: 'a\nb\nc\n' })
    const page = async (who: Who, args: string) =>
      (
        await hub.graphql(
          who,
          `{ robotCheckLog(checkId: "${check}" ${args}) { nodes { line } pageInfo { endCursor hasNextPage } } }`,
        )
      ).data.robotCheckLog
    const first = await page(ada, 'first: 2')
    expect(first).toMatchObject({ nodes: [{ line: 'a' }, { line: 'b' }], pageInfo: { hasNextPage: true } })
    const last = await page(ada, `first: 2 after: "${first.pageInfo.endCursor}"`)
    expect(last).toMatchObject({ nodes: [{ line: 'c' }], pageInfo: { hasNextPage: false } })
    expect(await page(await hub.person(), '')).toBeNull()
    await report(check, { log_chunk: 'd\n', status: 'failed', error: 'broke' })
    const after = `after: "${last.pageInfo.endCursor}"`
    const rest = await readSubscription(
      hub.running.url,
      ada.token,
      `robotCheckLog(checkId: "${check}", ${after}) { events { line } }`,
    )
    await rest.ended
    expect(rest.events[0].robotCheckLog.events).toEqual([{ line: 'd' }])
  })
})

describe('the subscription robotCheckUpdated', () => {
  const ask = (check: string) => `robotCheckUpdated(checkId: "${check}") { status claimedBy logTail error }`

  it('yields the check as it is, and after each change on any hub, until it has ended', async () => {
    const check = await checks.queue(ada, robot)
    const reader = await readSubscription(other.url, ada.token, ask(check))
    await reader.until(1)
    await checks.post(key, check, 'claim', { worker: 'box' })
    await reader.until(2)
    await report(check, { log_chunk: 'a\n' })
    await reader.until(3)
    await report(check, { status: 'failed', error: 'broke' })
    await reader.ended
    expect(reader.events.map(({ robotCheckUpdated }) => robotCheckUpdated)).toEqual([
      { status: 'QUEUED', claimedBy: null, logTail: null, error: null },
      { status: 'RUNNING', claimedBy: 'box', logTail: null, error: null },
      { status: 'RUNNING', claimedBy: 'box', logTail: 'a\n', error: null },
      { status: 'FAILED', claimedBy: 'box', logTail: 'a\n', error: 'broke' },
    ])
  })

  it('ends for a member who leaves the org of the robot, and shows no change after that', async () => {
    const eve = await hub.person()
    const org = await hub.org([
      { user: ada.handle, role: 'owner' },
      { user: eve.handle, role: 'member' },
    ])
    const check = await checks.claimed(ada, await checks.robot(ada, { owner: org }))
    const reader = await readSubscription(other.url, eve.token, ask(check))
    await reader.until(1)
    const removal = 'mutation ($input: RemoveOrgMemberInput!) { removeOrgMember(input: $input) { user { handle } } }'
    expect((await hub.graphql(ada, removal, { input: { org, user: eve.handle } })).errors).toBeUndefined()
    await checks.report(ada, check, { log_chunk: 'secret\n' })
    await reader.ended
    expect(reader.events).toHaveLength(1)
  })

  it('is 404 on a check that is not visible', async () => {
    const check = await claimed()
    const reader = await readSubscription(hub.running.url, (await hub.person()).token, ask(check))
    await reader.ended
    expect(reader.events[0].errors[0].extensions.status).toBe(404)
  })
})
