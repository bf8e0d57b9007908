/** Moving repos: their new name, what goes with them, and what their old name leads to. */
import { type IncomingMessage, request } from 'node:http'
import { beforeAll, expect, it } from 'vitest'
import { contractHub, type Json, type Person } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
let bob: Person
let lab: string

beforeAll(async () => {
  ada = await hub.person()
  bob = await hub.person()
  lab = await hub.org([{ user: ada.handle, role: 'owner' }])
})

const move = (repo: string, body: Json, who: Person | string = ada) =>
  hub.call(who, 'POST', `/v1/repos/${repo}/move`, body)
const stored = async (handle: string) => {
  const [row] = await hub.sql<{ stored: number; reserved: number; pending: number }>(
    'select storage_bytes::int as stored, reserved_bytes::int as reserved, pending_uploads as pending from accounts where handle = $1',
    [handle],
  )
  return row
}

it('a repo moves to another owner and name, with its bytes, its uploads and its history', async () => {
  const name = await hub.repo(ada)
  await hub.upload(ada, name, { 'a.txt': 'twelve bytes' })
  await hub.sendFile(ada, name, 'late.txt', 'late')
  const { json: before } = await hub.call(ada, 'GET', `/v1/repos/${name}`)
  const moved = await move(name, { owner: lab, hf_name: 'New_Name' })
  expect([moved.status, moved.json]).toMatchObject([
    200,
    { id: before.id, full_name: `${lab}/new-name`, hf_name: 'New_Name', commit_id: before.commit_id },
  ])
  expect(moved.headers.get('location')).toBe(`/v1/repos/${lab}/new-name`)
  expect(await stored(ada.handle)).toEqual({ stored: 0, reserved: 0, pending: 0 })
  expect(await stored(lab)).toEqual({ stored: 12, reserved: 4, pending: 1 })
  expect((await hub.call(ada, 'GET', `/v1/repos/${lab}/new-name/history`)).json.items).toHaveLength(1)
  expect((await hub.call(ada, 'DELETE', `/v1/repos/${lab}/new-name`)).status).toBe(204)
})

it('its old name leads to no other host, also where the target of the request names one', async () => {
  const name = await hub.repo(ada)
  await move(name, { slug: 'moved-away' })
  const locationOf = (path: string) =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(hub.running.url)
      const headers = { authorization: `Bearer ${ada.token}` }
      const answered = (answer: IncomingMessage) => {
        answer.resume()
        resolve([answer.statusCode, answer.headers.location])
      }
      request({ hostname, port, path, headers }, answered).on('error', reject).end()
    })
  for (const prefix of ['/v1/repos/', '/api/datasets/'])
    for (const host of ['', 'http://other.example', 'HTTPS://other.example:8443'])
      expect(await locationOf(`${host}${prefix}${name}`)).toEqual([308, `${prefix}${ada.handle}/moved-away`])
})

it('its old name leads to it, for whoever sees it, until a repo takes the name', async () => {
  const name = await hub.repo(ada)
  const slug = name.split('/')[1] ?? ''
  await hub.upload(ada, name, { 'a.txt': 'one' })
  await move(name, { slug: `${slug}-b` })
  await move(`${name}-b`, { slug: `${slug}-c` })
  for (const [path, to] of [
    [name, `${name}-c`],
    [`${name}-b/tree?limit=1`, `${name}-c/tree?limit=1`],
    [`${name}/resolve/a.txt`, `${name}-c/resolve/a.txt`],
  ]) {
    const answer = await hub.send(ada, 'GET', `/v1/repos/${path}`)
    expect([answer.status, answer.headers.get('location'), answer.text]).toEqual([308, `/v1/repos/${to}`, ''])
  }
  expect((await hub.call(bob, 'GET', `/v1/repos/${name}`)).status).toBe(404)
  expect((await hub.call(ada, 'POST', `/v1/repos/${name}/files/delete`, { paths: ['a.txt'] })).status).toBe(404)
  const graph = '{ repo(owner: "%o", slug: "%s") { slug } movedRepo(owner: "%o", slug: "%s") { slug } }'
  const asked = graph.replaceAll('%o', ada.handle).replaceAll('%s', slug)
  expect((await hub.graphql(ada, asked)).data).toEqual({ repo: null, movedRepo: { slug: `${slug}-c` } })
  await hub.call(ada, 'POST', '/v1/repos', { kind: 'model', slug })
  expect((await hub.call(ada, 'GET', `/v1/repos/${name}`)).json.kind).toBe('model')
  await hub.call(ada, 'DELETE', `/v1/repos/${name}`)
  expect((await hub.send(ada, 'GET', `/v1/repos/${name}`)).status).toBe(404)
  await move(`${name}-c`, { slug })
  expect((await hub.call(ada, 'GET', `/v1/repos/${name}`)).status).toBe(200)
})

it('a move needs both owners, a free name and room', async () => {
  const [name, other] = [await hub.repo(ada), await hub.repo(ada)]
  expect((await move(name, { slug: 'x' }, bob)).status).toBe(404)
  expect((await move(name, { owner: bob.handle })).status).toBe(403)
  expect((await move(name, { owner: 'nobody-has-this' })).status).toBe(404)
  const taken = await move(name, { slug: other.split('/')[1] })
  expect([taken.status, taken.json.errors[0]]).toMatchObject([409, { type: 'conflict.taken', loc: ['body', 'slug'] }])
  expect((await move(name, { slug: 'a', hf_name: 'B' })).status).toBe(422)
  const agent = await hub.key(ada, { scope: 'write', agent: true })
  expect((await move(name, { slug: 'x' }, agent)).status).toBe(403)
  await hub.upload(ada, name, { 'a.txt': 'one' })
  await hub.sql('update accounts set storage_bytes = 1099511627776 where handle = $1 returning id', [lab])
  const full = await move(name, { owner: lab })
  expect([full.status, full.json.errors[0].type]).toEqual([413, 'quota.storage'])
  expect((await hub.call(ada, 'GET', `/v1/repos/${name}`)).status).toBe(200)
})

it('brings open uploads only where their bytes and their number have room', async () => {
  const org = await hub.org([{ user: ada.handle, role: 'owner' }])
  const name = await hub.repo(ada)
  const before = await stored(ada.handle)
  await hub.sendFile(ada, name, 'late.txt', 'late')
  const refusals: unknown[] = []
  for (const [used, pending] of [
    [107_374_182_397, 0],
    [0, 10_000],
  ]) {
    await hub.sql('update accounts set storage_bytes = $2, pending_uploads = $3 where handle = $1', [
      org,
      used,
      pending,
    ])
    const refused = await move(name, { owner: org })
    refusals.push([refused.status, refused.json.errors[0].type])
    expect(await stored(ada.handle)).toEqual({ stored: before?.stored, reserved: 4, pending: 1 })
  }
  expect(refusals).toEqual([
    [413, 'quota.storage'],
    [429, 'quota.uploads'],
  ])
  await hub.sql('update accounts set storage_bytes = 107374182396, pending_uploads = 9999 where handle = $1', [org])
  expect((await move(name, { owner: org })).status).toBe(200)
})

it('brings contents that were sent ahead, which take no place of an upload', async () => {
  const org = await hub.org([{ user: ada.handle, role: 'owner' }])
  const name = await hub.repo(ada)
  await hub.sendFile(ada, name, 'late.txt', 'late')
  await hub.sql(
    `insert into uploads (id, repo_id, account_id, owner_id, path, size, sha256, storage_key, store_upload_id, part_size)
      select 'upload_6zzzzzzzzzzzzzzzzzzzzzzzzz', u.repo_id, u.account_id, u.owner_id, '', 5, u.sha256, 'content-key', 'inline', 1
      from uploads u join repos r on r.id = u.repo_id where r.slug = $1`,
    [name.split('/')[1]],
  )
  await hub.sql('update accounts set reserved_bytes = 9, pending_uploads = 2 where handle = $1', [ada.handle])
  await hub.sql('update accounts set pending_uploads = 9999 where handle = $1', [org])
  expect((await move(name, { owner: org })).status).toBe(200)
  expect(await stored(org)).toEqual({ stored: 0, reserved: 9, pending: 10_001 })
  expect(await stored(ada.handle)).toMatchObject({ reserved: 0, pending: 0 })
})
