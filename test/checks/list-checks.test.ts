/** Spec, "GET /v1/robot-checks": filters, bounds and cursors of the list, and of the checks of a repo. */
import { beforeAll, describe, expect, it } from 'vitest'
import { checksOf } from '../support/checks.ts'
import { contractHub, type Json, type Person, places, types } from '../support/hub.ts'

const hub = contractHub()
const checks = checksOf(hub)
let ada: Person
let robot: string
let other: string
/** Newest first. */
const ids: string[] = []

beforeAll(async () => {
  ada = await hub.person()
  robot = await checks.robot(ada)
  other = await checks.robot(ada)
  for (const name of [robot, other, robot, robot]) ids.unshift(await checks.queue(ada, name))
  await checks.post(ada, ids[0] ?? '', 'claim', { worker: 'box' })
  await checks.post(ada, ids[1] ?? '', 'cancel')
})

const list = (query: string) => hub.call(ada, 'GET', `/v1/robot-checks?${query}`)
const idsOf = ({ items }: Json) => items.map(({ id }: Json) => id)

describe('listRobotChecks', () => {
  it.each([
    ['', () => ids],
    ['status=queued', () => ids.slice(2)],
    ['status=running', () => ids.slice(0, 1)],
    ['status=canceled', () => ids.slice(1, 2)],
    ['status=succeeded', () => []],
    ['executor=hosted', () => []],
    ['status=queued&executor=worker', () => ids.slice(2)],
  ] as [string, () => string[]][])('lists what ?%s asks for, newest first', async (query, expected) => {
    expect(idsOf((await list(query)).json)).toEqual(expected())
  })

  it('lists the checks of one robot, and none for a robot that no check names', async () => {
    expect(idsOf((await list(`robot_repo=${other}`)).json)).toEqual([ids[2]])
    expect((await list(`robot_repo=${ada.handle}/none`)).json).toEqual({ items: [], next_cursor: null })
  })

  it.each([
    ['status=done', 'status'],
    ['status=QUEUED', 'status'],
    ['executor=cloud', 'executor'],
    ['robot_repo=arm', 'robot_repo'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=two', 'limit'],
    ['limit=1.5', 'limit'],
    ['cursor=x', 'cursor'],
    [`cursor=${'a'.repeat(513)}`, 'cursor'],
    ['kind=robot', 'kind'],
  ])('is 422 for ?%s', async (query, member) => {
    const refused = await list(query)
    expect([refused.status, places(refused)]).toEqual([422, [['query', member]]])
  })

  it('takes a limit of 1 to 100, and answers 20 without one', async () => {
    expect((await list('limit=1')).json.items).toHaveLength(1)
    expect((await list('limit=100')).json.items).toHaveLength(4)
  })

  it('goes on from a cursor with the same filters alone, and names the next page in Link', async () => {
    const first = await list('status=queued&limit=1')
    expect(first.json.next_cursor).toBeTruthy()
    expect(first.headers.get('link')).toContain('rel="next"')
    const cursor = encodeURIComponent(first.json.next_cursor)
    const rest = await list(`status=queued&limit=1&cursor=${cursor}`)
    expect([idsOf(rest.json), rest.json.next_cursor]).toEqual([ids.slice(3), null])
    for (const query of [`cursor=${cursor}`, `status=running&cursor=${cursor}`]) {
      const refused = await list(query)
      expect([refused.status, places(refused)]).toEqual([422, [['query', 'cursor']]])
    }
    const runs = await hub.call(ada, 'GET', `/v1/runs?cursor=${cursor}`)
    expect([runs.status, places(runs)]).toEqual([422, [['query', 'cursor']]])
  })

  it('neither skips nor repeats a check while others are queued', async () => {
    const first = await list('limit=2')
    const later = await checks.queue(ada, other)
    const rest = await list(`limit=2&cursor=${encodeURIComponent(first.json.next_cursor)}`)
    expect([...idsOf(first.json), ...idsOf(rest.json)]).toEqual(ids)
    expect(idsOf((await list('limit=1')).json)).toEqual([later])
    expect((await checks.post(ada, later, 'cancel')).status).toBe(202)
  })
})

describe('a check of a public robot', () => {
  it('is not public: 404 for strangers, 401 without a credential, on no list of theirs', async () => {
    const open = await checks.robot(ada, { visibility: 'public' })
    const id = await checks.queue(ada, open)
    const stranger = await hub.person()
    expect((await hub.call(stranger, 'GET', `/v1/robot-checks/${id}`)).status).toBe(404)
    expect(types(await hub.call(null, 'GET', `/v1/robot-checks/${id}`))).toEqual(['auth.missing'])
    expect((await hub.call(stranger, 'GET', `/v1/robot-checks?robot_repo=${open}`)).json.items).toEqual([])
    const seen = await hub.graphql(
      stranger,
      `query ($id: ID!, $owner: String!, $slug: String!) { robotCheck(id: $id) { id } node(id: $id) { id }
        repo(owner: $owner, slug: $slug) { checks { nodes { id } } } }`,
      { id, owner: open.split('/')[0], slug: open.split('/')[1] },
    )
    expect(seen.data).toEqual({ robotCheck: null, node: null, repo: { checks: { nodes: [] } } })
  })
})
