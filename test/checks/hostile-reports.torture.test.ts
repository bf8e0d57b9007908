/** What a worker sends may be made to do harm: it is refused with 422 and the place, and the check continues. */
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { ObjectStore } from '../../src/store/objects/object-store.ts'
import { checksOf, goodReport } from '../support/checks.ts'
import { type Answer, contractHub, type Json, type Person, places, types } from '../support/hub.ts'

const hub = contractHub()
const { claimed, post, read, robot, send } = checksOf(hub)
let ada: Person
let key: string
let arm: string

beforeAll(async () => {
  ada = await hub.person()
  key = await hub.key(ada)
  arm = await robot(ada)
})

const nested = (levels: number, inner: string) => `${'[1,'.repeat(levels)}${inner}${']'.repeat(levels)}`

describe('a robot_card.json', () => {
  it.each([
    ['10,000 levels', `{"dof":${nested(10_000, '1')}}`],
    ['10,000 levels and a number that a double does not keep', `{"dof":${nested(10_000, '1.0')}}`],
    ['101 levels in a need', `{"needs_you":${nested(101, '1')}}`],
    ['a NUL', '{"mjcf_path":"a\\u0000"}'],
    ['half a surrogate pair', '{"mjcf_path":"\\ud83d"}'],
    ['half a surrogate pair in a name', '{"\\ud83d":1}'],
    ['a NUL in a need', '{"needs_you":[{"field":"a\\u0000","severity":"blocking","why":""}]}'],
    ['a number that no double holds', '{"dof":1e999}'],
    ['a member named __proto__', '{"__proto__":{"dof":1}}'],
  ])('with %s is 422 and names the place, and the check goes on', async (_what, text) => {
    const check = await claimed(key, arm)
    await send(key, check, 'robot_card.json', text)
    const artifacts = [{ path: 'robot_card.json' }]
    const refused = await post(key, check, 'report', { status: 'succeeded', report: goodReport, artifacts })
    expect([refused.status, places(refused)]).toEqual([422, [['body', 'artifacts', 0, 'path']]])
    expect(await read(ada, check)).toMatchObject({ status: 'running', draft: null })
  })

  it('with a member twice has the last one', async () => {
    const check = await claimed(key, arm)
    await send(key, check, 'robot_card.json', '{"dof":1,"dof":2}')
    const artifacts = [{ path: 'robot_card.json' }]
    const done = await post(key, check, 'report', { status: 'succeeded', report: goodReport, artifacts })
    expect([done.status, done.json.draft.card]).toEqual([200, { dof: 2 }])
  })
})

describe('an artifact', () => {
  it.each(['text/html\r\nX-Header: 1', 'image/png\u001b[31m', 'a\u007f'])(
    'is 422 with a media type that no header can have: %j',
    async (content_type) => {
      const check = await claimed(key, arm)
      const refused = await post(key, check, 'artifacts', { files: [{ name: 'thumbnail.png', size: 1, content_type }] })
      expect([refused.status, places(refused)]).toEqual([422, [['body', 'files', 0, 'content_type']]])
    },
  )
})

describe('the artifacts of a check', () => {
  const files = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => ({ name: `meshes/${from + at}`, size: 0 }))

  it('are at most 100, over however many requests, and what is refused leaves nothing in the store', async () => {
    const check = await claimed(key, arm)
    expect((await post(key, check, 'artifacts', { files: files(0, 99) })).status).toBe(200)
    const refused = await post(key, check, 'artifacts', { files: files(99, 101) })
    expect([refused.status, places(refused)]).toEqual([422, [['body', 'files']]])
    // One of the same name takes no further place.
    expect((await post(key, check, 'artifacts', { files: files(50, 100) })).status).toBe(200)
    const rows = await hub.sql('select name from robot_check_artifacts where check_id = $1', [check])
    expect(rows).toHaveLength(100)
  })

  it('are at most 100 also where two requests come at once, and those of the refused one are aborted', async () => {
    const check = await claimed(key, arm)
    const { objects } = hub.running.deps
    if (!objects) throw new Error('The hub has no store.')
    const create = vi.spyOn(objects, 'createUpload')
    const aborted = vi.spyOn(objects, 'abortUpload')
    try {
      const asked = [files(0, 60), files(60, 120)].map((some) => post(key, check, 'artifacts', { files: some }))
      const statuses = (await Promise.all(asked)).map(({ status }) => status)
      expect(statuses.sort()).toEqual([200, 422])
      // The other one was refused before it began any, or has ended each that it began.
      expect(create.mock.calls.length - aborted.mock.calls.length).toBe(60)
    } finally {
      create.mockRestore()
      aborted.mockRestore()
    }
  })
})

describe('the `loc` of a reported check', () => {
  const reported = async (text: string) => {
    const check = await claimed(key, arm)
    const one = { code: 'a', status: 'warn', message: 'm', names: [], loc: '@' }
    const body = JSON.stringify({ report: { ...goodReport, checks: [one] } }).replace('"@"', text)
    const headers = { 'content-type': 'application/json' }
    return hub.send(key, 'POST', `/v1/robot-checks/${check}/report`, { body, headers })
  }

  it('is a list of strings and integers', async () => {
    const stored = await reported('["interface",0,"joint_order"]')
    expect([stored.status, stored.json.report.checks[0].loc]).toEqual([200, ['interface', 0, 'joint_order']])
  })

  it.each(['[1e999]', '[1.5]', '[null]', '[[1]]', '[{"a":1}]', '"a"', `[${'1'.repeat(400)}]`])(
    'is 422 as %s',
    async (text) => {
      const refused = await reported(text)
      const place: Json = places(refused)[0]
      expect([refused.status, place.slice(0, 5)]).toEqual([422, ['body', 'report', 'checks', 0, 'loc']])
    },
  )
})

describe('two reports at once that name the same artifacts', () => {
  it('are never told that what was uploaded was not', async () => {
    const artifacts = [{ path: 'robot_card.json' }, { path: 'meshes/a.obj' }]
    for (let round = 0; round < 5; round += 1) {
      const check = await claimed(key, arm)
      await send(key, check, 'robot_card.json', '{"dof":1}')
      await send(key, check, 'meshes/a.obj', 'v'.repeat(100_000))
      const end = (status: string) => post(key, check, 'report', { status, report: goodReport, artifacts })
      const answers = await Promise.all([end('succeeded'), end('failed'), end('succeeded')])
      const refused = answers.filter(({ status }) => status !== 200)
      expect([refused.length, refused.map(({ status }) => status)]).toEqual([2, [409, 409]])
      for (const one of refused) expect(['conflict.in_progress', 'conflict.terminal']).toContain(types(one)[0])
    }
  })

  it('and a check that is canceled meanwhile are told of its end, not of lost objects', async () => {
    const check = await claimed(key, arm)
    await send(key, check, 'meshes/a.obj', 'v 0 0 0')
    const objects = hub.running.deps.objects as ObjectStore
    const complete = objects.completeUpload.bind(objects)
    const spy = vi.spyOn(objects, 'completeUpload').mockImplementationOnce(async (...upload) => {
      const head = await complete(...upload)
      await post(ada, check, 'cancel')
      await objects.delete([upload[0]])
      return head
    })
    const artifacts = [{ path: 'meshes/a.obj' }]
    const late = await post(key, check, 'report', { status: 'succeeded', report: goodReport, artifacts })
    spy.mockRestore()
    expect([late.status, types(late)]).toEqual([409, ['conflict.terminal']])
  })

  it('store the artifacts once and both logs', async () => {
    const check = await claimed(key, arm)
    await send(key, check, 'meshes/a.obj', 'v 0 0 0')
    const said = (line: string): Promise<Json> =>
      withPatience(() => post(key, check, 'report', { log_chunk: `${line}\n`, artifacts: [{ path: 'meshes/a.obj' }] }))
    await Promise.all(['one', 'two', 'three'].map(said))
    const { log_tail, artifacts } = await read(ada, check)
    expect(log_tail.trim().split('\n').toSorted()).toEqual(['one', 'three', 'two'])
    expect(artifacts).toHaveLength(1)
  })
})

/** As a client that sends again what another request was doing. */
async function withPatience(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask()
    if (answer.status === 200) return answer
    expect(types(answer)).toEqual(['conflict.in_progress'])
  }
}
