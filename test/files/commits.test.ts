/** Commit ids, messages, and who is listed and may read which state by them. */
import { beforeAll, expect, it } from 'vitest'
import { contractHub, type Json, type Person } from '../support/hub.ts'

const hub = contractHub()
const COMMIT_ID = /^[0-9a-f]{40}$/
let ada: Person
let bob: Person
let name: string

beforeAll(async () => {
  ada = await hub.person()
  bob = await hub.person()
  name = await hub.repo(ada, { visibility: 'public' })
})

const get = async (who: Person, path: string): Promise<Json> => (await hub.call(who, 'GET', path)).json
const commits = async (who: Person): Promise<Json[]> => (await get(who, `/v1/repos/${name}/commits`)).items
const paths = async (who: Person, at: string) => {
  const { status, json } = await hub.call(who, 'GET', `/v1/repos/${name}/tree?at=${at}`)
  return status === 200 ? json.items.map(({ path }: Json) => path) : status
}

it('a repo without files has a commit id, which stays the id of its empty state', async () => {
  const { commit_id: empty } = await get(ada, `/v1/repos/${name}`)
  expect(empty).toMatch(COMMIT_ID)
  expect(await commits(bob)).toMatchObject([
    { commit_id: empty, seq: 0, is_current: true, message: null, author: null },
  ])
  await hub.upload(ada, name, { 'a.txt': 'one' })
  expect((await get(ada, `/v1/repos/${name}`)).commit_id).not.toBe(empty)
  expect(await paths(bob, empty)).toEqual([])
  expect((await commits(ada)).at(-1)).toMatchObject({ commit_id: empty, seq: 0, is_current: false })
})

it('each operation keeps the message of its change, which history, commits and states show', async () => {
  const said = async (route: string, body: Record<string, unknown>) => {
    const { status } = await hub.call(ada, 'POST', `/v1/repos/${name}/${route}`, { ...body, message: `by ${route}` })
    expect(status).toBe(200)
  }
  const { upload_id, parts } = await hub.sendFile(ada, name, 'b.txt', 'two')
  await said('files/complete', { uploads: [{ path: 'b.txt', upload_id, parts }] })
  const [{ size, sha256 }] = (await get(ada, `/v1/repos/${name}/tree?prefix=b`)).items
  await said('files/link', { files: [{ path: 'c.txt', size, sha256 }] })
  await said('files/delete', { paths: ['b.txt'] })
  await said('restore', { at: '2' })
  await said('files/purge', { paths: ['b.txt'] })
  const expected = ['files/purge', 'restore', 'files/delete', 'files/link', 'files/complete'].map((one) => `by ${one}`)
  const history = (await get(ada, `/v1/repos/${name}/history`)).items
  expect(history.map(({ message }: Json) => message)).toEqual([...expected, null])
  const listed = await commits(ada)
  expect(listed.map(({ message }) => message)).toEqual([...expected, null, null])
  expect(listed.map(({ commit_id }) => commit_id)).toEqual([
    ...history.map(({ commit_id }: Json) => commit_id),
    expect.stringMatching(COMMIT_ID),
  ])
  expect(new Set(listed.map(({ commit_id }) => commit_id)).size).toBe(7)
  expect(listed[0].author.handle).toBe(ada.handle)
  const answer = await hub.graphql(
    bob,
    `{ repo(owner: "${ada.handle}", slug: "${name.split('/')[1]}") {
    commitId at(state: "${listed[0].commit_id}") { commitId message isCurrent seq } } }`,
  )
  expect(answer.data.repo).toEqual({
    commitId: listed[0].commit_id,
    at: { commitId: listed[0].commit_id, message: 'by files/purge', isCurrent: true, seq: 6 },
  })
})

it('a message has at most 500 characters', async () => {
  const body = (message: string) => ({ paths: ['none.txt'], message })
  expect((await hub.call(ada, 'POST', `/v1/repos/${name}/files/delete`, body('é'.repeat(500)))).status).toBe(200)
  const refused = await hub.call(ada, 'POST', `/v1/repos/${name}/files/delete`, body('é'.repeat(501)))
  expect([refused.status, refused.json.errors[0].loc]).toEqual([422, ['body', 'message']])
})

it('readers are listed the current commit and named ones, and read any by its id', async () => {
  const all = await commits(ada)
  await hub.call(ada, 'POST', `/v1/repos/${name}/snapshots`, { name: 'snapshot:005000', at: '1' })
  const first = all.find(({ seq }) => seq === 1)?.commit_id
  expect((await commits(bob)).map(({ seq, snapshots, author }) => [seq, snapshots, author])).toEqual([
    [6, [], null],
    [1, ['snapshot:005000'], null],
  ])
  const secret = all.find(({ seq }) => seq === 3)?.commit_id ?? ''
  expect(await paths(bob, secret)).toEqual(['a.txt', 'c.txt'])
  expect(await paths(bob, '3')).toBe(403)
  expect(await paths(bob, 'snapshot:005000')).toEqual(['a.txt'])
  expect(await paths(ada, '005000')).toBe(404)
  expect(await paths(bob, first)).toEqual(['a.txt'])
  expect(await paths(bob, 'f'.repeat(40))).toBe(404)
  const diff = await hub.call(bob, 'GET', `/v1/repos/${name}/diff?from=${first}&to=snapshot:005000`)
  expect([diff.status, diff.json.items]).toEqual([200, []])
  const file = await hub.send(bob, 'GET', `/v1/repos/${name}/resolve/a.txt?at=${first}`)
  expect(file.status).toBe(302)
  const snapshot = await get(bob, `/v1/repos/${name}/snapshots/005000`)
  expect(snapshot).toMatchObject({ commit_id: first, name: 'snapshot:005000' })
  expect(await get(bob, `/v1/repos/${name}/snapshots/snapshot:005000`)).toEqual(snapshot)
  expect((await hub.call(ada, 'POST', `/v1/repos/${name}/snapshots`, { name: '005001' })).status).toBe(422)
})

it('pages of commits end with the empty state, each commit once', async () => {
  for (const [who, seqs] of [
    [ada, [6, 5, 4, 3, 2, 1, 0]],
    [bob, [6, 1]],
  ] as const) {
    const found: number[] = []
    let cursor = ''
    do {
      const page = await get(who, `/v1/repos/${name}/commits?limit=1${cursor && `&cursor=${cursor}`}`)
      found.push(...page.items.map(({ seq }: Json) => seq))
      cursor = page.next_cursor ?? ''
    } while (cursor)
    expect(found).toEqual(seqs)
  }
})

it('a commit id of another repo, and one whose state is gone, are 404', async () => {
  const other = await hub.repo(ada)
  const { commit_id: foreign } = await get(ada, `/v1/repos/${other}`)
  expect(await paths(ada, foreign)).toBe(404)
  const id = (await get(ada, `/v1/repos/${name}`)).id
  const second = (await commits(ada)).find(({ seq }) => seq === 2)?.commit_id ?? ''
  await hub.sql('delete from repo_changes where repo_id = $1 and seq = 2 returning seq', [id])
  expect(await paths(ada, second)).toBe(404)
})

it('a name of 40 hex digits is not a snapshot, and a private repo hides its commits', async () => {
  const named = await hub.call(ada, 'POST', `/v1/repos/${name}/snapshots`, { name: 'a'.repeat(40) })
  expect(named.status).toBe(422)
  const hidden = await hub.repo(ada)
  const { commit_id: id } = await get(ada, `/v1/repos/${hidden}`)
  expect((await hub.call(bob, 'GET', `/v1/repos/${hidden}/commits`)).status).toBe(404)
  expect((await hub.call(bob, 'GET', `/v1/repos/${hidden}/tree?at=${id}`)).status).toBe(404)
})
