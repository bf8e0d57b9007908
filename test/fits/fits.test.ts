/** What runs on a robot, in both directions: verdicts, reasons, kept maps, pages, and who sees what. */
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, type Person } from '../support/hub.ts'
import { bodyRepos } from './support/bodies.ts'

// Bodies that files of a shared hub leave are more than a new one is compared with at once.
const hub = contractHub({}, { alone: true })
let ada: Person
let bob: Person
const { model, dataset, robot } = bodyRepos(hub, () => ada)

beforeAll(async () => {
  ada = await hub.person()
  bob = await hub.person()
})

/** Rates that no other test has: bodies of other tests have the same joints. */
let rate = 1000
const ownRate = () => {
  rate += 1
  return rate
}

async function fits(repo: string, query = '', who: Person | null = ada): Promise<Json[]> {
  const { status, json } = await hub.call(who, 'GET', `/v1/repos/${repo}/fits?limit=100${query}`)
  expect(status).toBe(200)
  return json.items
}
/** The verdict of each listed pair, by the name of the other side. */
const told = async (repo: string, query = '', who: Person | null = ada) =>
  (await fits(repo, query, who)).map((fit) => [fit.repo === repo ? fit.robot : fit.repo, fit.verdict])
const among = async (repo: string, wanted: readonly string[], query = '', who: Person | null = ada) =>
  (await told(repo, query, who)).filter(([name]) => wanted.includes(name))
const put = async (repo: string, to: string, joints: readonly Json[]) => {
  const map = { version: 1, joints, held: [], dropped: [] }
  const made = await hub.call(ada, 'PUT', `/v1/repos/${repo}/joint-maps`, { robot: to, if_version: 0, map })
  expect([made.status, made.json.errors]).toEqual([200, undefined])
}
const straight = (from: string, to: string) => ({ from, to, sign: 1, scale: 1, offset: 0 })
const both = (suffix = '') => ['shoulder', 'elbow'].map((joint) => straight(`${joint}${suffix}`, joint))

describe('what runs on a robot', () => {
  it('is what has its joints: as it is, mapped where the order differs, and near where something blocks', async () => {
    const control_rate_hz = ownRate()
    const arm = await robot({ control_rate_hz })
    const same = await model({ control_rate_hz })
    const swapped = await model({ control_rate_hz, joint_order: ['elbow', 'shoulder'] })
    const faster = await model({ control_rate_hz: control_rate_hz + 1 })
    const other = await model({ control_rate_hz, joint_order: ['hip', 'knee'] })
    const all = [same, swapped, faster, other]
    expect(await among(arm, all)).toEqual([
      [same, 'as_is'],
      [swapped, 'mapped'],
    ])
    expect(await among(arm, all, '&near=true')).toEqual([[faster, 'none']])
    const [reason] = (await fits(arm, '&near=true')).filter(({ repo }) => repo === faster)
    expect(reason).toMatchObject({ robot: arm, verdict: 'none' })
    expect(reason.differences[0]).toMatchObject({ kind: 'rate', place: 'control_rate_hz', blocks: true })
    expect(await among(swapped, [arm])).toEqual([[arm, 'mapped']])
    expect([await among(other, [arm]), await among(other, [arm], '&near=true')]).toEqual([[], []])
  })

  it('with a kept map comes first, judged with it, with its version and review; it is not listed twice', async () => {
    const arm = await robot({ control_rate_hz: ownRate() })
    const recorded = await dataset(['shoulder.pos', 'elbow.pos'])
    expect(await among(arm, [recorded])).toEqual([])
    await put(recorded, arm, both('.pos'))
    const [first] = await fits(arm, '&kind=dataset')
    expect(first).toMatchObject({ repo: recorded, verdict: 'mapped', map_version: 1 })
    expect(first.map_reviewed_at).toBeNull()
    await hub.call(ada, 'POST', `/v1/repos/${recorded}/joint-maps/review`, { robot: arm, version: 1 })
    expect((await fits(recorded))[0]).toMatchObject({ robot: arm, map_version: 1, map_reviewed_at: expect.any(String) })
    const policy = await model({ control_rate_hz: 1 })
    await put(policy, arm, [straight('shoulder', 'elbow'), straight('elbow', 'shoulder')])
    expect(await among(arm, [policy])).toEqual([[policy, 'mapped']])
  })

  it('with a kept map that leaves a joint open is listed with its reason', async () => {
    const [arm, policy] = [await robot({ control_rate_hz: ownRate() }), await model()]
    await put(policy, arm, [straight('shoulder', 'shoulder')])
    const [found] = (await fits(arm)).filter(({ repo }) => repo === policy)
    expect(found).toMatchObject({ verdict: 'none', map_version: 1 })
    expect(found.differences.map(({ place }: Json) => place)).toContain('joints.elbow')
    expect(await among(arm, [policy], '&near=true')).toEqual([])
  })

  it('of a data set of the same names is near until a map says its unit', async () => {
    const [arm, recorded] = [await robot({ control_rate_hz: 50, base: 'fixed' }), await dataset()]
    expect(await among(arm, [recorded])).toEqual([])
    expect(await among(arm, [recorded], '&near=true')).toEqual([[recorded, 'none']])
    await put(recorded, arm, both())
    expect(await among(arm, [recorded])).toEqual([[recorded, 'as_is']])
  })

  it('follows a file that changes, and ends with the file', async () => {
    const control_rate_hz = ownRate()
    const [arm, policy] = [await robot({ control_rate_hz }), await model({ control_rate_hz })]
    await hub.upload(ada, policy, { 'contract.json': '{"joint_order":["hip"]}' })
    expect(await among(arm, [policy])).toEqual([])
    await hub.upload(ada, policy, { 'contract.json': JSON.stringify({ joint_order: ['shoulder', 'elbow'] }) })
    expect(await among(arm, [policy])).toEqual([[policy, 'as_is']])
    await hub.call(ada, 'POST', `/v1/repos/${policy}/files/delete`, { paths: ['contract.json'] })
    expect(await among(arm, [policy])).toEqual([])
  })
})

describe('pages of what fits', () => {
  it('go through kept maps, then bodies that are the same, then others: each pair once, in one order', async () => {
    const control_rate_hz = ownRate()
    const arm = await robot({ control_rate_hz })
    const made: string[] = []
    for (const change of [{}, {}, { joint_order: ['elbow', 'shoulder'] }, { joint_order: ['elbow', 'shoulder'] }])
      made.push(await model({ control_rate_hz, ...change }))
    for (const _ of [1, 2]) {
      const recorded = await dataset(['shoulder.pos', 'elbow.pos'])
      await put(recorded, arm, both('.pos'))
      made.push(recorded)
    }
    const whole = (await told(arm)).map(([name]) => name)
    expect(whole).toEqual(expect.arrayContaining(made))
    expect(whole.slice(0, 2).sort()).toEqual(made.slice(4).sort())
    const paged: string[] = []
    for (let cursor = ''; ; ) {
      const { json } = await hub.call(ada, 'GET', `/v1/repos/${arm}/fits?limit=1${cursor && `&cursor=${cursor}`}`)
      paged.push(...json.items.map(({ repo }: Json) => repo))
      cursor = json.next_cursor ?? ''
      if (cursor === '') break
    }
    expect(paged).toEqual(whole)
    const { json } = await hub.call(ada, 'GET', `/v1/repos/${arm}/fits?limit=1`)
    const foreign = await hub.call(ada, 'GET', `/v1/repos/${arm}/fits?near=true&cursor=${json.next_cursor}`)
    expect([foreign.status, foreign.json.errors[0].type]).toEqual([422, 'validation.cursor'])
  })
})

describe('a caller who does not see a repo', () => {
  it('sees nothing of it: not in a list, not beside it, not in a cursor', async () => {
    const control_rate_hz = ownRate()
    const arm = await robot({ control_rate_hz })
    const [open, hidden] = [await model({ control_rate_hz }), await model({ control_rate_hz }, 'private')]
    const mapped = await dataset(['shoulder.pos', 'elbow.pos'], 'private')
    await put(mapped, arm, both('.pos'))
    const all = [open, hidden, mapped]
    const names = async (who: Person | null) => (await among(arm, all, '', who)).map(([name]) => name).sort()
    expect(await names(ada)).toEqual([...all].sort())
    for (const who of [bob, null]) {
      expect(await names(who)).toEqual([open])
      const { json } = await hub.call(who, 'GET', `/v1/repos/${arm}/fits?limit=100&kind=dataset`)
      expect([json.items, json.next_cursor]).toEqual([[], null])
      expect((await hub.call(who, 'GET', `/v1/repos/${hidden}/fits`)).status).toBe(404)
    }
    const secret = await robot({ control_rate_hz }, 'private')
    expect(await among(open, [arm, secret], '', bob)).toEqual([[arm, 'as_is']])
    const asked = `{ repo(owner: "${open.split('/')[0]}", slug: "${open.split('/')[1]}") {
      arm: compatibleWith(robot: "${arm}") { verdict } secret: compatibleWith(robot: "${secret}") { verdict } } }`
    expect((await hub.graphql(bob, asked)).data.repo).toEqual({ arm: { verdict: 'AS_IS' }, secret: null })
    expect((await hub.graphql(ada, asked)).data.repo.secret).toEqual({ verdict: 'AS_IS' })
  })

  it('sees it from when it is public, and its new owner from when it is theirs', async () => {
    const control_rate_hz = ownRate()
    const [arm, policy] = [await robot({ control_rate_hz }), await model({ control_rate_hz }, 'private')]
    const show = (visibility: string) => hub.call(ada, 'PATCH', `/v1/repos/${policy}`, { visibility })
    expect((await show('public')).status).toBe(200)
    expect(await among(arm, [policy], '', bob)).toEqual([[policy, 'as_is']])
    expect((await show('private')).status).toBe(200)
    expect([await among(arm, [policy], '', bob), await among(arm, [policy])]).toEqual([[], [[policy, 'as_is']]])
    await hub.sql('update repos set owner_id = $1 where slug = $2', [bob.id, policy.split('/')[1]])
    const moved = policy.replace(ada.handle, bob.handle)
    expect([await among(arm, [moved]), await among(arm, [moved], '', bob)]).toEqual([[], [[moved, 'as_is']]])
  })
})

it('compatibleWith(robot) says it of each repo of a list, also of one that is nowhere near', async () => {
  const control_rate_hz = ownRate()
  const arm = await robot({ control_rate_hz })
  const policy = await model({ joint_order: ['hip'] })
  const [owner, slug] = policy.split('/')
  const { data } = await hub.graphql(
    ada,
    `{ repo(owner: "${owner}", slug: "${slug}") { compatibleWith(robot: "${arm}") { verdict mapVersion differences { place blocks } } } }`,
  )
  expect(data.repo.compatibleWith).toMatchObject({ verdict: 'NONE', mapVersion: null })
  expect(data.repo.compatibleWith.differences).toContainEqual({ place: 'joints.hip', blocks: true })
})
