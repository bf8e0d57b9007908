/** Contract, "Reports": `log_seq` of a check's reports, as of a run's. */
import { beforeAll, describe, expect, it } from 'vitest'
import { checksOf, goodReport } from '../support/checks.ts'
import { contractHub, type Json, type Person, places, types } from '../support/hub.ts'

const hub = contractHub()
const checks = checksOf(hub)
let ada: Person
let key: string
let robot: string

beforeAll(async () => {
  ada = await hub.person()
  key = await hub.key(ada)
  robot = await checks.robot(ada)
})

const claimed = () => checks.claimed(key, robot)
const report = (check: string, body: Json) => checks.report(key, check, body)
const logOf = async (check: string) => (await hub.send(ada, 'GET', `/v1/robot-checks/${check}/logs/download`)).text
const objectsOf = async (check: string): Promise<string[]> => {
  const keys: string[] = []
  for await (const { key } of hub.running.deps.objects?.list(`robot-checks/${check}/`) ?? []) keys.push(key)
  return keys
}
/** Until the background deletion of what a refused or repeated report wrote is done. */
const objectCount = (check: string, count: number) =>
  expect.poll(async () => (await objectsOf(check)).length, { timeout: 100_000 }).toBe(count)

describe('a report with a number', () => {
  it('is stored once, however often it is sent', async () => {
    const check = await claimed()
    const body = { log_seq: 0, log_chunk: 'a\n' }
    const first = await report(check, body)
    const again = await report(check, { ...body, log_chunk: 'something else\n' })
    expect(again).toMatchObject({ id: check, status: 'running', log_tail: 'a\n', heartbeat_at: first.heartbeat_at })
    await report(check, { log_seq: 1, log_chunk: 'b\n' })
    await report(check, body)
    expect(await logOf(check)).toBe('a\nb\n')
  })

  it('is stored once when its twins come at the same time', async () => {
    const check = await claimed()
    await Promise.all(Array.from({ length: 5 }, () => report(check, { log_seq: 3, log_chunk: 'one\0\n' })))
    expect(await logOf(check)).toBe('one\0\n')
    await objectCount(check, 1)
  })

  it('leaves a gap that the late report fills, once', async () => {
    const check = await claimed()
    await report(check, { log_seq: 0, log_chunk: 'a\n' })
    await report(check, { log_seq: 2, log_chunk: 'c\n' })
    for (let at = 0; at < 2; at += 1) await report(check, { log_seq: 1, log_chunk: 'late\n' })
    expect(await logOf(check)).toBe('a\nc\nlate\n')
  })

  it('counts without a log chunk as well, and chunks without a number are always stored', async () => {
    const check = await claimed()
    await report(check, { log_seq: 0, engine: { name: 'one' } })
    expect((await report(check, { log_seq: 0, engine: { name: 'two' } })).engine).toEqual({ name: 'one' })
    for (let at = 0; at < 2; at += 1) await report(check, { log_chunk: 'x\n' })
    expect(await logOf(check)).toBe('x\nx\n')
  })

  it.each([-1, 1.5, 'one', 2 ** 53])('of %s is 422 and stores nothing', async (log_seq) => {
    const check = await claimed()
    const refused = await checks.post(key, check, 'report', { log_seq, log_chunk: 'a\n' })
    expect([refused.status, places(refused)]).toEqual([422, [['body', 'log_seq']]])
    expect(await logOf(check)).toBe('')
  })
})

describe('a report that ended its check', () => {
  // No row keeps a NUL: the chunk is an object.
  const ending = { log_seq: 7, log_chunk: 'done\0\n', status: 'succeeded', report: goodReport }

  it('answers the check again to the worker that lost its answer', async () => {
    const check = await claimed()
    const first = await report(check, ending)
    const again = await report(check, ending)
    expect(again).toEqual(first)
    expect([await logOf(check), first.status]).toEqual(['done\0\n', 'succeeded'])
    const finished = await hub.sql(`select 1 from audit_log where target_id = $1 and action = 'robot_check.finish'`, [
      check,
    ])
    expect(finished).toHaveLength(1)
  })

  it('is answered again under its Idempotency-Key, without a number too', async () => {
    const check = await claimed()
    const body = { status: 'failed', error: 'broke', log_chunk: 'a\n' }
    const send = () =>
      hub.call(key, 'POST', `/v1/robot-checks/${check}/report`, body, { 'idempotency-key': `end-of-${check}` })
    const [first, again] = [await send(), await send()]
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    expect(again.json).toEqual(first.json)
    expect(await logOf(check)).toBe('a\n')
  })

  it('ends the check once when its twins come at the same time', async () => {
    const check = await claimed()
    const answers = await Promise.all(Array.from({ length: 4 }, () => report(check, ending)))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => 'succeeded'))
    expect(await logOf(check)).toBe('done\0\n')
    await objectCount(check, 1)
  })

  it('is 409 without a number, with another number or end, from another credential, and after a cancel', async () => {
    const check = await claimed()
    await report(check, ending)
    const { log_seq: _number, ...unnumbered } = ending
    for (const [who, body] of [
      [key, unnumbered],
      [key, { ...ending, log_seq: 8 }],
      [key, { ...ending, status: 'failed' }],
      [ada, ending],
    ] as const) {
      const refused = await checks.post(who, check, 'report', body)
      expect([refused.status, types(refused)]).toEqual([409, ['conflict.terminal']])
    }
    const canceled = await claimed()
    await report(canceled, { log_seq: 7, log_chunk: 'a\n' })
    await checks.post(ada, canceled, 'cancel')
    expect((await checks.post(key, canceled, 'report', ending)).status).toBe(409)
    expect(await logOf(canceled)).toBe('a\n')
  })
})

describe('presigned artifacts under an Idempotency-Key', () => {
  it('have their URLs signed anew while the check runs, and none once it has ended', async () => {
    const check = await claimed()
    const body = { files: [{ name: 'thumbnail.png', size: 3 }] }
    const ask = () =>
      hub.call(key, 'POST', `/v1/robot-checks/${check}/artifacts`, body, { 'idempotency-key': `files-of-${check}` })
    const first = await ask()
    const again = await ask()
    expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 200, 'true'])
    expect(again.json.uploads[0].key).toBe(first.json.uploads[0].key)
    await checks.post(ada, check, 'cancel')
    const late = await ask()
    expect([late.status, types(late)]).toEqual([409, ['conflict.terminal']])
  })
})
