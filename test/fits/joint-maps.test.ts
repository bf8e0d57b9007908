/** Kept maps of joints: versions, reviews, and who sees them. */
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, type Person } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
let bob: Person

beforeAll(async () => {
  ada = await hub.person()
  bob = await hub.person()
})

const mapTo = (to: string) => ({
  version: 1,
  joints: [{ from: 'elbow.pos', to, sign: -1, scale: 0.017453292519943295, offset: 0.5 }],
  held: [{ joint: 'wrist', value: 0 }],
  dropped: ['gripper.pos'],
})

/** A public data set and a public robot of ada, and calls on the maps from one to the other. */
async function pair(visibility = 'public') {
  const repo = await hub.repo(ada, { visibility: 'public' })
  const robot = await hub.repo(ada, { kind: 'robot', visibility })
  const path = `/v1/repos/${repo}/joint-maps`
  return {
    ...{ repo, robot, path },
    put: (map: unknown, if_version: number, who: Person = ada) =>
      hub.call(who, 'PUT', path, { robot, if_version, map }),
    review: (version: number, who: Person = ada) => hub.call(who, 'POST', `${path}/review`, { robot, version }),
    versions: async (who: Person = ada, query = '') =>
      ((await hub.call(who, 'GET', `${path}${query}`)).json.items as Json[]).map(({ version }) => version),
  }
}

describe('a map of joints', () => {
  it('is kept as it was given, with a fingerprint, and read by whoever sees both repos', async () => {
    const { put, repo, robot, path } = await pair()
    const made = await put(mapTo('elbow'), 0)
    expect([made.status, made.json]).toMatchObject([
      200,
      {
        repo,
        robot,
        version: 1,
        is_current: true,
        map: mapTo('elbow'),
        reviewed_at: null,
        creator: { handle: ada.handle },
      },
    ])
    expect(made.json.fingerprint).toMatch(/^[0-9a-f]{64}$/)
    const read = await hub.call(bob, 'GET', `${path}?robot=${robot}`)
    expect(read.json.items).toEqual([{ ...made.json, creator: null }])
    const other = await hub.call(bob, 'GET', `${path}?robot=${repo}`)
    expect(other.json.items).toEqual([])
  })

  it('has a next version for who knows the current one; another put is 409 and names it', async () => {
    const { put, versions } = await pair()
    await put(mapTo('elbow'), 0)
    const both = await Promise.all([put(mapTo('a'), 1), put(mapTo('b'), 1)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    const late = await put(mapTo('c'), 1)
    expect([late.status, late.json]).toMatchObject([409, { errors: [{ type: 'conflict.map_changed', version: 2 }] }])
    expect(await versions()).toEqual([2, 1])
  })

  it('is reviewed once, in its current version', async () => {
    const { put, review, path, robot } = await pair()
    expect((await review(1)).status).toBe(404)
    await put(mapTo('elbow'), 0)
    const agent = await hub.key(ada, { agent: true, name: 'agent' })
    expect((await hub.call(agent, 'POST', `${path}/review`, { robot, version: 1 })).status).toBe(403)
    const first = await review(1)
    expect([first.status, first.json]).toMatchObject([200, { version: 1, reviewer: { handle: ada.handle } }])
    expect((await review(1)).json.reviewed_at).toBe(first.json.reviewed_at)
    expect((await put(mapTo('hand'), 1)).json.reviewed_at).toBeNull()
    expect((await review(1)).status).toBe(409)
  })

  it('is refused with every fault by its place', async () => {
    const { put } = await pair()
    const bad = await put({ ...mapTo('elbow'), dropped: ['elbow.pos'], held: [{ joint: 'wrist', value: 'x' }] }, 0)
    expect(bad.status).toBe(422)
    expect(JSON.stringify(bad.json.errors)).toContain('held')
    expect((await put({ ...mapTo('elbow'), dropped: ['elbow.pos'] }, 0)).status).toBe(422)
  })

  it('is written by whoever may write the source, and leads to another repo that is a robot', async () => {
    const { put, path, repo } = await pair()
    expect((await put(mapTo('elbow'), 0, bob)).status).toBe(403)
    const same = await hub.call(ada, 'PUT', path, { robot: repo, if_version: 0, map: mapTo('elbow') })
    expect(same.json).toMatchObject({ status: 409, errors: [{ type: 'conflict.wrong_kind' }] })
  })

  it('to a robot that the caller does not see is not there', async () => {
    const { put, robot, versions } = await pair('private')
    expect((await put(mapTo('elbow'), 0)).json).toMatchObject({ version: 1 })
    expect(await versions()).toEqual([1])
    expect(await versions(bob)).toEqual([])
    const theirs = await hub.repo(bob)
    const given = { robot, if_version: 0, map: mapTo('elbow') }
    expect((await hub.call(bob, 'PUT', `/v1/repos/${theirs}/joint-maps`, given)).status).toBe(404)
  })

  it('is listed in pages, and its last twenty versions stay', async () => {
    const { put, path } = await pair()
    for (let version = 0; version < 22; version += 1) await put(mapTo('elbow'), version)
    const seen: unknown[] = []
    for (let cursor = ''; ; ) {
      const { json } = await hub.call(ada, 'GET', `${path}?limit=8${cursor && `&cursor=${cursor}`}`)
      seen.push(...(json.items as Json[]).map(({ version }) => version))
      cursor = (json.next_cursor as string | null) ?? ''
      if (cursor === '') break
    }
    expect(seen).toEqual(Array.from({ length: 20 }, (_, at) => 22 - at))
  })

  it('that is in use stays with the newest twenty, until a newer one is reviewed', async () => {
    const { put, review, versions } = await pair()
    await put(mapTo('elbow'), 0)
    await review(1)
    for (let version = 1; version < 22; version += 1) await put(mapTo('elbow'), version)
    expect((await versions(ada, '?limit=100')).slice(-2)).toEqual([3, 1])
    await review(22)
    await put(mapTo('elbow'), 22)
    expect((await versions(ada, '?limit=100')).slice(-2)).toEqual([5, 4])
  })
})
