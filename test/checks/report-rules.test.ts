/** Spec, "POST /v1/robot-checks/{check_id}/report": what a report has to agree with, and how reports add up. */
import { beforeAll, describe, expect, it } from 'vitest'
import { checksOf, goodReport } from '../support/checks.ts'
import { contractHub, type Json, type Person, places, types } from '../support/hub.ts'

const hub = contractHub()
const checks = checksOf(hub)
let ada: Person
let key: string
let robot: string
const card = (dof: number, needs: readonly Json[] = []) => JSON.stringify({ dof, needs_you: needs })
const need = { field: 'base', severity: 'blocking', why: 'unknown' }
const named = { artifacts: [{ path: 'robot_card.json' }] }
const ended = { status: 'succeeded', report: goodReport }

beforeAll(async () => {
  ada = await hub.person()
  key = await hub.key(ada)
  robot = await checks.robot(ada)
})

const of = (status: string) => ({ code: `mjcf.${status}`, status, message: 'm', names: [] })

describe('a validation report', () => {
  it.each([
    ['a check that failed', { checks: [of('pass'), of('fail')] }],
    ['a grade of fail', { grade: 'fail' }],
  ])('that is ok with %s is 422, and stores nothing', async (_what, change) => {
    const id = await checks.claimed(key, robot)
    const refused = await checks.post(key, id, 'report', {
      ...ended,
      log_chunk: 'a\n',
      report: { ...goodReport, ...change },
    })
    expect([refused.status, places(refused)]).toEqual([422, [['body', 'report', 'ok']]])
    expect(await checks.read(ada, id)).toMatchObject({ status: 'running', report: null, log_tail: null })
  })

  it('that says that checks failed is a verdict: the check succeeded, and is not published', async () => {
    const id = await checks.claimed(key, robot)
    const report = { ...goodReport, ok: false, grade: 'fail', checks: [of('fail'), of('warn'), of('skip')] }
    const done = await checks.report(key, id, { status: 'succeeded', report })
    expect(done).toMatchObject({ status: 'succeeded', report: { ok: false, grade: 'fail' } })
    expect(types(await checks.post(ada, id, 'publish'))).toContain('conflict.report_failed')
  })

  it('that warns and skips is ok', async () => {
    const id = await checks.claimed(key, robot)
    const report = { ...goodReport, grade: 'warn', checks: [of('warn'), of('skip')] }
    expect((await checks.report(key, id, { ...ended, report })).report.grade).toBe('warn')
  })

  it.each([
    ['status', 'queued'],
    ['status', 'canceled'],
    ['report', { ok: true }],
    ['report', { ...goodReport, grade: 'good' }],
    ['report', { ...goodReport, checks: [{ ...of('pass'), status: 'ok' }] }],
    ['report', { ...goodReport, mjcf_path: '../a.xml' }],
    ['draft', { mjcf_path: '/a.xml' }],
    ['draft', { card: {} }],
    ['intake', { embodiment: 'close' }],
    ['engine', 'mujoco'],
    ['artifacts', [{ name: 'robot_card.json' }]],
    ['verdict', true],
  ])('is 422 for %s: %j', async (member, value) => {
    const id = await checks.claimed(key, robot)
    const refused = await checks.post(key, id, 'report', { [member]: value })
    expect([refused.status, places(refused)[0]?.slice(0, 2)]).toEqual([422, ['body', member]])
  })
})

describe('reports of one check', () => {
  it('add up: what a later one leaves out stays', async () => {
    const id = await checks.claimed(key, robot)
    await checks.report(key, id, { engine: { name: 'mujoco' }, draft: { source: 'init' }, log_chunk: 'a\n' })
    await checks.report(key, id, { report: goodReport, log_chunk: 'b\n' })
    const done = await checks.report(key, id, { status: 'succeeded', engine: null })
    expect(done).toMatchObject({
      status: 'succeeded',
      engine: { name: 'mujoco' },
      draft: { source: 'init' },
      report: { ok: true },
      log_tail: 'a\nb\n',
    })
  })

  it('an empty one is a sign of life and nothing else', async () => {
    const id = await checks.claimed(key, robot)
    const before = await checks.read(ada, id)
    const after = await checks.report(key, id, {})
    expect(Date.parse(after.heartbeat_at)).toBeGreaterThanOrEqual(Date.parse(before.heartbeat_at))
    expect(after).toEqual({ ...before, heartbeat_at: after.heartbeat_at })
  })

  it('take the card of the last artifact, and its needs', async () => {
    const id = await checks.claimed(key, robot)
    await checks.send(key, id, 'robot_card.json', card(1, [need]))
    expect((await checks.report(key, id, named)).draft).toMatchObject({ card: { dof: 1 }, blocking: 1 })
    await checks.send(key, id, 'robot_card.json', card(2))
    const done = await checks.report(key, id, { ...ended, ...named })
    expect([done.draft.card, done.draft.blocking, done.publish_blockers]).toMatchObject([{ dof: 2 }, 0, []])
  })

  it('keep no card of an artifact that was presigned again and never reported', async () => {
    const id = await checks.claimed(key, robot)
    await checks.send(key, id, 'robot_card.json', card(1, [need]))
    await checks.report(key, id, named)
    await checks.send(key, id, 'robot_card.json', card(2))
    const done = await checks.report(key, id, ended)
    expect([done.artifacts, done.draft]).toEqual([[], null])
    expect(types(await checks.post(ada, id, 'publish'))).toEqual(['conflict.card_missing'])
  })

  it('of a failed check keep its error, and end it once', async () => {
    const id = await checks.claimed(key, robot)
    const done = await checks.report(key, id, { status: 'failed', error: 'The engine crashed.' })
    expect([done.status, done.error, done.cost_usd]).toEqual(['failed', 'The engine crashed.', null])
    expect(done.finished_at).toMatch(/Z$/)
    expect(types(await checks.post(key, id, 'report', { status: 'failed' }))).toEqual(['conflict.terminal'])
  })
})
