/** Results of a version of a model: of the policies that it has, by their bytes. */
import { beforeAll, expect, it } from 'vitest'
import { contractHub, type Json, type Person } from '../support/hub.ts'
import { outcomes, rolloutsOf } from './support.ts'

const hub = contractHub()
const { model, robot, publish, versionOf } = rolloutsOf(hub)
let ada: Person
let bob: Person

beforeAll(async () => {
  ada = await hub.person()
  bob = await hub.person()
})

it('are those of the same bytes at the same path, from whichever version they were run', async () => {
  const [from, on] = [await model(ada), await robot(ada)]
  const first = (await publish(ada, from, on)).json.id
  await hub.upload(ada, from.repo, { 'README.md': '# A walker' })
  const described = await versionOf(ada, from.repo)
  await hub.upload(ada, from.repo, { 'policy.onnx': 'other weights' })
  const trained = await versionOf(ada, from.repo)
  const second = (await publish(ada, { ...from, version: trained }, on)).json.id
  await hub.upload(ada, from.repo, { 'contract.json': '{"version": 1}' })
  const changed = await versionOf(ada, from.repo)
  const of = async (version: string, who: Person | null = ada) => {
    const { status, json } = await hub.call(who, 'GET', `/v1/repos/${from.repo}/rollouts?version=${version}`)
    return status === 200 ? json.items.map(({ id }: Json) => id) : status
  }
  expect(await of(from.version)).toEqual([first])
  expect(await of(described)).toEqual([first])
  expect(await of(trained)).toEqual([second])
  // The contract beside a policy says how it is run.
  expect(await of(changed)).toEqual([])
  expect(await of('2', bob)).toBe(403)
  expect(await of(described, bob)).toEqual([first])
  expect(await of('none', null)).toBe(404)
  expect(await of('0')).toEqual([])
  const [owner, slug] = from.repo.split('/')
  const asked = (version: string) => `rollouts(version: "${version}", robot: "${on.repo}", first: 1) { nodes { id } }`
  const { data } = await hub.graphql(
    ada,
    `{ repo(owner: "${owner}", slug: "${slug}") { one: ${asked(described)} other: ${asked(trained)} } }`,
  )
  expect(data.repo).toEqual({ one: { nodes: [{ id: first }] }, other: { nodes: [{ id: second }] } })
})

it('are in pages, and none on a robot that the caller does not see', async () => {
  const [from, on, hidden] = [await model(ada), await robot(ada), await robot(ada, { visibility: 'private' })]
  const ids: string[] = []
  for (const [place, first] of [
    [on, 1],
    [hidden, 1],
    [on, 11],
  ] as const)
    ids.push((await publish(ada, from, place, { outcomes: outcomes(2, [], first) })).json.id)
  const all = async (who: Person) => {
    const found: string[] = []
    let cursor = ''
    do {
      const path = `/v1/repos/${from.repo}/rollouts?version=${from.version}&limit=1${cursor}`
      const { json } = await hub.call(who, 'GET', path)
      found.push(...json.items.map(({ id }: Json) => id))
      cursor = json.next_cursor ? `&cursor=${json.next_cursor}` : ''
    } while (cursor)
    return found
  }
  expect(await all(ada)).toEqual(ids.toReversed())
  expect(await all(bob)).toEqual([ids[2], ids[0]])
})
