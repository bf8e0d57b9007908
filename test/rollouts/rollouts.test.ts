/** Results of rollouts: kept with the model, once for each question, and compared on boards as far as one sees them. */
import { wilson } from '@hub/formats/wilson'
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, type Person, places, types } from '../support/hub.ts'
import { disturbance, outcomes, rolloutsOf, task } from './support.ts'

const hub = contractHub()
const { model, robot, publish } = rolloutsOf(hub)
type Repo = Awaited<ReturnType<typeof model>>
let ada: Person
let bob: Person
let walker: Repo
let arm: Repo

beforeAll(async () => {
  ada = await hub.person()
  bob = await hub.person()
  walker = await model(ada)
  arm = await robot(ada)
})

const items = async (path: string, who: Person | null = ada) => (await hub.call(who, 'GET', path)).json.items as Json[]

describe('a result of rollouts', () => {
  it("stands on its model: counts and interval are the hub's, the outcomes are exact", async () => {
    const { status, json } = await publish(ada, walker, arm)
    const { id, created_at, creator, fingerprint, policy_digest, mean_return, ...rest } = json
    expect(status).toBe(200)
    expect([id, creator.handle]).toEqual([expect.stringMatching(/^roll_/), ada.handle])
    expect(Date.parse(created_at)).toBeGreaterThan(0)
    for (const digest of [fingerprint, policy_digest]) expect(digest).toMatch(/^[0-9a-f]{64}$/)
    expect(mean_return).toBeCloseTo(0.25, 12)
    const [lowest, highest] = wilson(3, 4)
    expect(rest).toEqual({
      ...{ model: walker.repo, model_commit: walker.version, policy_path: 'policy.onnx' },
      ...{ robot: arm.repo, robot_commit: arm.version, task: 'swing-up', conditions: { task, disturbance } },
      ...{ map_fingerprint: null, first_seed: 1, seeds: 4, successes: 3, lowest, highest, mean_seconds: 1.5 },
      ...{ software: { mujoco: '3.14.0' }, drawn_by: null, cameras: null, is_by_agent: false },
    })
    const path = `/v1/repos/${walker.repo}/rollouts`
    expect(await items(path, bob)).toEqual([{ ...json, creator: null }])
    expect(await items(`${path}?robot=${walker.repo}`)).toEqual([])
    expect(await items(`${path}/${id}/outcomes`, null)).toEqual(outcomes(4, [3]))
    expect((await items(`${path}/${id}/outcomes?failed=true`)).map(({ seed }) => seed)).toEqual([3])
    const first = await hub.call(ada, 'GET', `${path}/${id}/outcomes?limit=3`)
    const more = await items(`${path}/${id}/outcomes?limit=3&cursor=${first.json.next_cursor}`)
    expect(more.map(({ seed }) => seed)).toEqual([4])
  })

  it('is one for a question: sent again it is the same, with other numbers it is refused by the seed', async () => {
    const from = await model(ada)
    const [one, two] = await Promise.all([publish(ada, from, arm), publish(ada, from, arm)])
    expect([one.status, two.status, two.json]).toEqual([200, 200, one.json])
    const other = await publish(ada, from, arm, { outcomes: outcomes(4, [2, 3]), software: { mujoco: '4.0.0' } })
    expect([other.status, other.json.errors]).toMatchObject([
      409,
      [{ type: 'conflict.rollout_differs', rollout_id: one.json.id, seed: 2 }],
    ])
    expect(other.json.detail).toContain('the success was true with mujoco 3.14.0, and is false with mujoco 4.0.0')
    for (const change of [{ outcomes: outcomes(4, [], 5) }, { disturbance: { gravity: 2 } }])
      expect((await publish(ada, from, arm, change)).status).toBe(200)
    expect(await items(`/v1/repos/${from.repo}/rollouts`)).toHaveLength(3)
  })

  it('says in a list what disturbed each, without its task', async () => {
    const from = await model(ada)
    await publish(ada, from, arm)
    await publish(ada, from, arm, { disturbance: { gravity: 2, pushN: 9 } })
    const [owner, slug] = from.repo.split('/')
    const { data } = await hub.graphql(
      ada,
      `query ($owner: String!, $slug: String!) { repo(owner: $owner, slug: $slug) { rollouts { nodes { disturbance } } } }`,
      { owner, slug },
    )
    expect(data.repo.rollouts.nodes).toEqual([{ disturbance: { gravity: 2, pushN: 9 } }, { disturbance }])
  })

  it('names what is missing: the version, the file, a robot that is none; seeds follow each other', async () => {
    const refused = async (change: Json) => {
      const answer = await publish(ada, walker, arm, change)
      return [answer.status, types(answer), places(answer)]
    }
    expect(await refused({ policy: 'other.onnx' })).toEqual([422, ['validation.value'], [['body', 'policy']]])
    expect(await refused({ policy: 'contract.json' })).toEqual([422, ['validation.value'], [['body', 'policy']]])
    expect((await refused({ version: 'a'.repeat(40) }))[0]).toBe(404)
    expect((await refused({ robot: walker.repo, robot_version: walker.version })).slice(0, 2)).toEqual([
      409,
      ['conflict.wrong_kind'],
    ])
    const [first, , third] = outcomes(3)
    for (const wrong of [[first, first], [first, third], []])
      expect((await refused({ outcomes: wrong }))[2]).toEqual([['body', 'outcomes']])
    expect((await refused({ outcomes: outcomes(1001) }))[0]).toBe(422)
    const long = { ...task, description: 'x'.repeat(65_536) }
    expect((await refused({ task: long })).slice(1)).toEqual([['validation.too_long'], [['body', 'task']]])
    const named = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`${at}${'ä'.repeat(60)}`, 'ä'.repeat(64)]))
    expect((await refused({ software: named })).slice(1)).toEqual([['validation.too_long'], [['body', 'software']]])
    // Two of them would have no sum.
    const huge = outcomes(2).map((one) => ({ ...one, return: 1.7e308 }))
    expect((await refused({ outcomes: huge }))[0]).toBe(422)
  })

  it('is written by the one who writes the model, and hidden with its robot', async () => {
    expect((await publish(bob, walker, arm)).status).toBe(403)
    const hidden = await robot(ada, { visibility: 'private' })
    const from = await model(ada)
    const { json } = await publish(ada, from, hidden)
    const path = `/v1/repos/${from.repo}/rollouts`
    expect([await items(path), await items(path, bob)]).toMatchObject([[{ id: json.id }], []])
    expect((await hub.call(bob, 'GET', `${path}/${json.id}/outcomes`)).status).toBe(404)
    expect((await publish(bob, await model(bob), hidden)).status).toBe(404)
  })
})

it('results and gates do not wait for a push to their robot, nor it for them', async () => {
  const [from, on] = [await model(ada), await robot(ada)]
  const statuses = await hub.running.deps.db.withTx(async (tx) => {
    const byName = `select r.id from repos r join accounts o on o.id = r.owner_id
      where o.handle || '/' || r.slug = $1 for no key update of r`
    await tx.query({ name: '', text: byName }, [on.repo])
    const { status, json } = await publish(ada, from, on)
    const gate = { robot: on.repo, fingerprint: json.fingerprint, least: 0.5, seeds: 4 }
    return [status, (await hub.call(ada, 'PUT', `/v1/repos/${from.repo}/rollout-gates`, gate)).status]
  })
  expect(statuses).toEqual([200, 200])
})

it('two results of one question differ in seeds, which are told with who succeeds', async () => {
  const [one, two] = [await model(ada), await model(ada)]
  const { json: first } = await publish(ada, one, arm, { outcomes: outcomes(6, [2, 5, 6]) })
  const { json: second } = await publish(ada, two, arm, { outcomes: outcomes(6, [3, 5], 2) })
  const path = `/v1/repos/${one.repo}/rollouts/${first.id}/differences`
  const found = await items(`${path}?other=${second.id}`, bob)
  expect(found).toEqual([
    { seed: 2, success: false, return: 0.2, other_return: 0.2 },
    { seed: 3, success: true, return: 0.1 * 3, other_return: 0.1 * 3 },
    { seed: 6, success: false, return: 0.1 * 6, other_return: 0.1 * 6 },
  ])
  const page = await hub.call(ada, 'GET', `${path}?other=${second.id}&limit=2`)
  const rest = await items(`${path}?other=${second.id}&limit=2&cursor=${page.json.next_cursor}`)
  expect([...page.json.items, ...rest]).toEqual(found)
  const { json: other } = await publish(ada, two, arm, { disturbance: { gravity: 3 } })
  const refused = await hub.call(ada, 'GET', `${path}?other=${other.id}`)
  expect([refused.status, types(refused)]).toEqual([409, ['conflict.wrong_kind']])
  const hidden = await model(ada, { visibility: 'private' })
  const { json: unseen } = await publish(ada, hidden, arm, { outcomes: outcomes(6) })
  expect((await hub.call(bob, 'GET', `${path}?other=${unseen.id}`)).status).toBe(404)
})

describe('a board', () => {
  const board = async (on: Repo, who: Person | null = ada, query = '') => {
    const [found] = await items(`/v1/repos/${on.repo}/rollout-boards`, who)
    if (!found) return []
    return items(`/v1/repos/${on.repo}/rollout-boards/${found.fingerprint}${query}`, who)
  }
  const told = (entries: Json[]) => entries.map((entry) => [entry.model, entry.successes, entry.seeds])

  it('has each model once, by its newest version and most seeds, by the lower end and then by name', async () => {
    const on = await robot(ada)
    const slugs = ['board-b', 'board-a', 'board-c'].map((slug) => `${slug}-${on.version.slice(0, 8)}`)
    const [b, a, c] = await Promise.all(slugs.map((slug) => model(ada, { slug })))
    if (!a || !b || !c) throw new Error('A model is missing.')
    // Ten of ten are less sure than 38 of 40.
    await publish(ada, b, on, { outcomes: outcomes(10) })
    await publish(ada, a, on, { outcomes: outcomes(10) })
    await publish(ada, c, on, { outcomes: outcomes(40, [1, 2]) })
    await publish(ada, c, on, { outcomes: outcomes(5, [], 100) })
    // Of as many seeds the lowest ones stand, however often others are tried.
    await publish(ada, b, on, { outcomes: outcomes(10, [201], 200) })
    const sorted = [
      [c.repo, 38, 40],
      [a.repo, 10, 10],
      [b.repo, 10, 10],
    ]
    expect(told(await board(on))).toEqual(sorted)
    const boards = await items(`/v1/repos/${on.repo}/rollout-boards`)
    expect(boards).toMatchObject([{ task: 'swing-up', results: 5 }])
    const path = `/v1/repos/${on.repo}/rollout-boards/${boards[0].fingerprint}?limit=1`
    const paged: Json[] = []
    for (let cursor = ''; ; ) {
      const { json } = await hub.call(ada, 'GET', `${path}${cursor && `&cursor=${cursor}`}`)
      paged.push(...json.items)
      cursor = json.next_cursor ?? ''
      if (cursor === '') break
    }
    expect(told(paged)).toEqual(sorted)
    await hub.upload(ada, c.repo, { 'policy.onnx': 'other weights' })
    const { versionOf } = rolloutsOf(hub)
    await publish(ada, { ...c, version: await versionOf(ada, c.repo) }, on, { outcomes: outcomes(3) })
    expect(told(await board(on)).at(-1)).toEqual([c.repo, 3, 3])
  })

  it('is found by a part of the name of its task, in any case, page by page', async () => {
    const [on, from] = [await robot(ada), await model(ada)]
    for (const name of ['Walk 100 %', 'walk slowly', 'stand_up', 'side-walk'])
      await publish(ada, from, on, { task: { ...task, name } })
    const found = async (q: string, who: Person = ada) => {
      const names: string[] = []
      for (let cursor = ''; ; ) {
        const path = `/v1/repos/${on.repo}/rollout-boards?limit=1&q=${encodeURIComponent(q)}${cursor}`
        const { json } = await hub.call(who, 'GET', path)
        names.push(...json.items.map((one: Json) => one.task))
        if (json.next_cursor === null) return names
        cursor = `&cursor=${json.next_cursor}`
      }
    }
    expect(await found('WALK', bob)).toEqual(['Walk 100 %', 'side-walk', 'walk slowly'])
    expect([await found('0 %'), await found('_'), await found('run')]).toEqual([['Walk 100 %'], ['stand_up'], []])
    const [owner, slug] = on.repo.split('/')
    const asked = `{ repo(owner: "${owner}", slug: "${slug}") { rolloutBoards(q: "stand") { nodes { task } } } }`
    expect((await hub.graphql(bob, asked)).data.repo.rolloutBoards.nodes).toEqual([{ task: 'stand_up' }])
    const { json } = await hub.call(ada, 'GET', `/v1/repos/${on.repo}/rollout-boards?limit=1&q=walk`)
    const other = await hub.call(ada, 'GET', `/v1/repos/${on.repo}/rollout-boards?q=stand&cursor=${json.next_cursor}`)
    expect(other.status).toBe(422)
  })

  it('leaves out models that the caller does not see, also from its counts', async () => {
    const on = await robot(ada)
    const from = await model(ada, { visibility: 'private' })
    await publish(ada, from, on)
    expect(told(await board(on))).toEqual([[from.repo, 3, 4]])
    expect(await items(`/v1/repos/${on.repo}/rollout-boards`, bob)).toEqual([])
    const [{ fingerprint }] = (await items(`/v1/repos/${on.repo}/rollout-boards`)) as [Json]
    expect(await items(`/v1/repos/${on.repo}/rollout-boards/${fingerprint}`, bob)).toEqual([])
  })
})
