import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { goodCard, goodInterface } from '../../packages/robot-card/test/support/card.ts'
import { contractHub, type Json, type Person, types } from '../support/hub.ts'

const hub = contractHub()
let ada: Person

const arm = `<mujoco model="arm"><worldbody><body name="base"><geom size=".1"/><body name="hand"><joint name="shoulder"/><geom size=".1"/>
  <site name="tip"/><body><joint name="elbow" type="slide"/><geom size=".1"/></body></body></body></worldbody></mujoco>`

async function newRobot(files: Record<string, string> = { 'arm.xml': arm }) {
  const name = await hub.repo(ada, { kind: 'robot' })
  await hub.upload(ada, name, files)
  return name
}

const put = (name: string, card: unknown, headers: Record<string, string> = {}) =>
  hub.call(ada, 'PUT', `/v1/robots/${name}/card`, card, headers)
const get = (name: string) => hub.call(ada, 'GET', `/v1/robots/${name}/card`)
const remove = (name: string, ...paths: string[]) => hub.call(ada, 'POST', `/v1/repos/${name}/files/delete`, { paths })

beforeAll(async () => {
  ada = await hub.person()
})

afterEach(() => {
  vi.restoreAllMocks()
})

/** Has `change` happen each time after a model was read and before anything is stored, at most `times`. */
function betweenJudgingAndStoring(change: (round: number) => Promise<unknown>, times = 1) {
  const { models } = hub.running.deps
  const read = models.read
  let round = 0
  return vi.spyOn(models, 'read').mockImplementation(async (...args) => {
    const reading = await read.apply(models, args)
    round += 1
    if (round <= times) await change(round)
    return reading
  })
}

describe('changes between checking and storing a card are detected', () => {
  it.each([
    ['the model is deleted', (name: string) => remove(name, 'arm.xml'), [422, ['mjcf.exists']]],
    [
      'the model is overwritten with one that lacks a joint',
      (name: string) => hub.upload(ada, name, { 'arm.xml': arm.replace('"elbow"', '"wrist"') }),
      [422, ['interface.joint_order']],
    ],
    ['another file comes', (name: string) => hub.upload(ada, name, { 'notes.md': 'x' }), [200, []]],
    ['a still is deleted', (name: string) => remove(name, 'dark.png'), [422, ['card.thumbnails']]],
    ['the repo is deleted', (name: string) => hub.call(ada, 'DELETE', `/v1/repos/${name}`), [404, ['not_found']]],
    [
      'the repo is deleted and another takes its name',
      async (name: string) => {
        await hub.call(ada, 'DELETE', `/v1/repos/${name}`)
        await hub.repo(ada, { kind: 'robot', slug: name.split('/')[1] })
      },
      [404, ['not_found']],
    ],
    [
      'the repo is made public',
      (name: string) => hub.call(ada, 'PATCH', `/v1/repos/${name}`, { visibility: 'public' }),
      [200, []],
    ],
  ])('%s', async (_what, change, expected) => {
    const name = await newRobot({ 'arm.xml': arm, 'light.png': 'l', 'dark.png': 'd' })
    betweenJudgingAndStoring(() => change(name))
    const answer = await put(name, goodCard({ thumbnail_paths: { light: 'light.png', dark: 'dark.png' } }))
    expect([answer.status, answer.json.errors ? types(answer) : []]).toEqual(expected)
    expect((await get(name)).status).toBe(answer.status === 200 ? 200 : 404)
  })

  it('a still is deleted under a card that names no model', async () => {
    const name = await newRobot({ 'light.png': 'l', 'dark.png': 'd' })
    const { db } = hub.running.deps
    const withTx = db.withTx
    vi.spyOn(db, 'withTx').mockImplementationOnce(async (work) => {
      await remove(name, 'dark.png')
      return withTx.call(db, work) as never
    })
    const card = { dof: 1, thumbnail_paths: { light: 'light.png', dark: 'dark.png' } }
    const answer = await put(name, card)
    expect([answer.status, types(answer)]).toEqual([422, ['card.thumbnails']])
  })

  it('files that keep changing give 409, and nothing is stored', async () => {
    const name = await newRobot()
    const reads = betweenJudgingAndStoring((round) => hub.upload(ada, name, { notes: `${round}` }), 100)
    const answer = await put(name, goodCard())
    expect([answer.status, types(answer), reads.mock.calls.length]).toEqual([409, ['conflict.in_progress'], 5])
    reads.mockRestore()
    expect((await get(name)).status).toBe(404)
    expect((await put(name, goodCard())).status).toBe(200)
  })
})

describe('two puts at once', () => {
  it('both succeed, one after the other: the card, its fingerprint and the audit log are consistent', async () => {
    const name = await newRobot()
    const cards = Array.from({ length: 6 }, (_, at) =>
      goodCard({ mass_kg: at, interface: goodInterface({ version: at }) }),
    )
    const answers = await Promise.all(cards.map((card) => put(name, card)))
    expect(answers.map(({ status }) => status)).toEqual(cards.map(() => 200))
    const { json } = await get(name)
    const won = answers.find((answer) => answer.json.mass_kg === json.mass_kg)
    expect(json).toEqual(won?.json)
    const rows = await hub.sql<{ before: Json; after: Json }>(
      `select before, after from audit_log where action = 'repo.card' and target_id = (
        select r.id from repos r join accounts o on o.id = r.owner_id where o.handle || '/' || r.slug = $1) order by id`,
      [name],
    )
    expect(rows).toHaveLength(6)
    const last = rows.filter(({ after }) => !rows.some(({ before }) => before.sha256 === after.sha256))
    expect(last.map(({ after }) => after.interface_fingerprint)).toEqual([json.interface_fingerprint])
    expect(rows.filter(({ before }) => Object.keys(before).length === 0)).toHaveLength(1)
    expect(
      answers
        .map((answer) => answer.json.updated_at)
        .toSorted()
        .at(-1),
    ).toBe(json.updated_at)
  })

  it('of one Idempotency-Key are two puts, since the key belongs to POST', async () => {
    const name = await newRobot()
    const headers = { 'idempotency-key': 'a' }
    const answers = await Promise.all([
      put(name, goodCard({ mass_kg: 1 }), headers),
      put(name, goodCard({ mass_kg: 2 }), headers),
    ])
    expect(answers.map(({ status, headers: told }) => [status, told.get('idempotent-replayed')])).toEqual([
      [200, null],
      [200, null],
    ])
  })

  it('never move the time of a card backwards, nor that of its repo', async () => {
    const name = await newRobot()
    await put(name, goodCard())
    const later = '2199-01-01T00:00:00.000Z'
    await hub.sql('update robot_cards set updated_at = $1 where repo_id = (select id from repos where slug = $2)', [
      later,
      name.split('/')[1],
    ])
    await hub.sql('update repos set updated_at = $1 where slug = $2', [later, name.split('/')[1]])
    expect((await put(name, goodCard({ mass_kg: 1 }))).json.updated_at).toBe(later)
    expect((await hub.call(ada, 'GET', `/v1/repos/${name}`)).json.updated_at).toBe(later)
  })
})

describe('two validates of one Idempotency-Key', () => {
  const path = (name: string) => `/v1/robots/${name}/validate`

  it('are one, and another body under it is rejected', async () => {
    const name = await newRobot()
    const headers = { 'idempotency-key': 'twin' }
    const ask = (card: unknown) => hub.call(ada, 'POST', path(name), { card }, headers)
    const twins = await Promise.all([ask(goodCard()), ask(goodCard())])
    expect(twins.map(({ status }) => status)).toEqual([200, 200])
    expect(twins.map(({ headers: told }) => told.get('idempotent-replayed')).toSorted()).toEqual([null, 'true'])
    expect(twins[0].json).toEqual(twins[1].json)
    expect(types(await ask(goodCard({ dof: 3 })))).toEqual(['idempotency.mismatch'])
  })

  it('replay the same response after the repo has changed, and compute a new one under another key', async () => {
    const name = await newRobot()
    const ask = (key: string) => hub.call(ada, 'POST', path(name), { card: goodCard() }, { 'idempotency-key': key })
    const before = await ask('one')
    await remove(name, 'arm.xml')
    expect((await ask('one')).json).toEqual(before.json)
    expect((await ask('two')).json.ok).toBe(false)
  })
})
