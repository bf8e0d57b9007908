/** Attacks with an Idempotency-Key from before a right was lost: each tries to get by replay what a new request cannot get. */
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, newName, type Person } from '../support/hub.ts'

const hub = contractHub()
let boss: Person
let eve: Person

beforeAll(async () => {
  boss = await hub.person()
  eve = await hub.person()
})

const secret = 'the weights'
const hide = (repo: string) => hub.call(boss, 'PATCH', `/v1/repos/${repo}`, { visibility: 'private' })

async function publicRepo(kind: string, files: Readonly<Record<string, string>>): Promise<string> {
  const repo = await hub.repo(boss, { kind, visibility: 'public' })
  await hub.upload(boss, repo, files)
  return repo
}

/** The same request of eve's, as often as she likes. */
const repeated = (path: string, body: Json) => {
  const once = { 'idempotency-key': newName() }
  return () => hub.call(eve, 'POST', path, body, once)
}

describe('a foreign account that once accessed a public repo', () => {
  it('gets no URL of its files once it is private', async () => {
    const repo = await publicRepo('model', { 'model.bin': secret })
    const ask = repeated(`/v1/repos/${repo}/files/presign-download`, { paths: ['model.bin'] })
    const first = await ask()
    expect(await (await fetch(first.json.files[0].url)).text()).toBe(secret)
    await hide(repo)
    const later = await ask()
    expect([later.status, later.text.includes('model.bin?')]).toEqual([404, false])
  })

  it('gets no report on its robot card once it is private', async () => {
    const repo = await publicRepo('robot', { 'arm.xml': '<mujoco/>' })
    const ask = repeated(`/v1/robots/${repo}/validate`, { card: { dof: 1, mjcf_path: 'arm.xml' } })
    expect((await ask()).status).toBe(200)
    await hide(repo)
    expect((await ask()).status).toBe(404)
  })

  it('gets nothing of its dataset in a recommendation once it is private', async () => {
    const info = { codebase_version: 'v2.1', total_episodes: 4242, total_frames: 100, fps: 10, features: {} }
    const repo = await publicRepo('dataset', { 'meta/info.json': JSON.stringify(info) })
    const ask = repeated('/v1/runs/recommend', { recipe: { template: 'act', dataset: [`svc://${repo}`] } })
    expect((await ask()).json.dataset).toMatchObject({ episodes: 4242 })
    await hide(repo)
    const later = await ask()
    expect([later.status, later.json.dataset, later.text.includes('4242')]).toEqual([200, null, false])
  })
})

describe('a caller who once requested a file', () => {
  it('gets no URL of it after it is deleted or replaced', async () => {
    const repo = await publicRepo('model', { leaked: 'a password', kept: 'old' })
    const [leaked, kept] = ['leaked', 'kept'].map((path) =>
      repeated(`/v1/repos/${repo}/files/presign-download`, { paths: [path] }),
    )
    expect([(await leaked?.())?.status, (await kept?.())?.status]).toEqual([200, 200])
    await hub.call(boss, 'POST', `/v1/repos/${repo}/files/delete`, { paths: ['leaked'] })
    await hub.upload(boss, repo, { kept: 'new' })
    expect((await leaked?.())?.status).toBe(404)
    expect(await (await fetch((await kept?.())?.json.files[0].url)).text()).toBe('new')
  })
})

describe('a member who was removed', () => {
  it('gets no URLs to write or read the files of the org', async () => {
    const org = await hub.org([
      { user: boss.handle, role: 'owner' },
      { user: eve.handle, role: 'member' },
    ])
    const repo = await hub.repo(boss, { kind: 'model', owner: org })
    await hub.upload(boss, repo, { 'model.bin': secret })
    const read = repeated(`/v1/repos/${repo}/files/presign-download`, { paths: ['model.bin'] })
    const file = { path: 'b', size: 5, sha256: 'a'.repeat(64) }
    const write = repeated(`/v1/repos/${repo}/files/presign-upload`, { files: [file] })
    expect([(await read()).status, (await write()).status]).toEqual([200, 200])
    const input = { org, user: eve.handle }
    const removal = 'mutation ($input: RemoveOrgMemberInput!) { removeOrgMember(input: $input) { user { handle } } }'
    expect((await hub.graphql(boss, removal, { input })).errors).toBeUndefined()
    for (const later of [await read(), await write()])
      expect([later.status, later.text.includes('/objects/')]).toEqual([404, false])
  })
})
