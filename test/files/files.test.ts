import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { file, fileRequests, isTime, paths, refusal } from '../support/file-requests.ts'
import { contractHub, newName, type Person, sha256Of, types, type Who } from '../support/hub.ts'

const hub = contractHub()
const requests = fileRequests(hub)
let ada: Person
let bob: Person
let name: string

beforeAll(async () => {
  ada = await hub.person()
  bob = await hub.person()
  name = await hub.repo(ada)
})

afterEach(() => {
  vi.useRealTimers()
})

const files = (who: Who, operation: string, body: unknown, repo = name) => requests.files(who, operation, body, repo)
const presign = (list: readonly unknown[], repo = name) => files(ada, 'presign-upload', { files: list }, repo)
const tree = (query = '', repo = name) => requests.tree(ada, repo, query)

/** The letter next to it in base64url: at the end of a signature, the two spell the same bytes. */
function neighbour(letter: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return alphabet[alphabet.indexOf(letter) ^ 1] ?? 'A'
}

describe('complete', () => {
  it('links the files, hashed by the hub, and overwrites existing paths', async () => {
    const repo = await hub.repo(ada)
    const [a, b] = [await hub.sendFile(ada, repo, 'a.json', '{}'), await hub.sendFile(ada, repo, 'b.txt', 'bb')]
    const done = await hub.complete(ada, repo, [b, a])
    const entry = (path: string, bytes: string, mime: string) => ({
      path,
      size: bytes.length,
      etag: expect.any(String),
      sha256: sha256Of(bytes),
      mime,
      updated_at: isTime,
    })
    expect(done.json).toEqual({
      files: [entry('b.txt', 'bb', 'text/plain'), entry('a.json', '{}', 'application/json')],
    })
    expect((await hub.call(ada, 'GET', `/v1/repos/${repo}`)).json.file_summary).toEqual({
      count: 2,
      total_bytes: 4,
      verified_count: 2,
    })
    await hub.upload(ada, repo, { 'a.json': '[1, 2]' })
    expect((await tree('', repo)).json.items).toEqual([
      entry('a.json', '[1, 2]', 'application/json'),
      entry('b.txt', 'bb', 'text/plain'),
    ])
    expect((await hub.call(ada, 'GET', `/v1/repos/${repo}`)).json.file_summary).toEqual({
      count: 2,
      total_bytes: 8,
      verified_count: 2,
    })
  })

  it('accepts the ETag with and without its quotes', async () => {
    const repo = await hub.repo(ada)
    for (const quoted of [true, false]) {
      const sent = await hub.sendFile(ada, repo, `q${quoted}`, 'x')
      const bare = sent.parts[0]?.etag?.replaceAll('"', '') ?? ''
      const parts = [{ part_number: 1, etag: quoted ? `"${bare}"` : bare }]
      expect((await hub.complete(ada, repo, [{ ...sent, parts }])).status).toBe(200)
    }
  })

  it.each([
    [
      'a wrong etag',
      { parts: [{ part_number: 1, etag: 'f'.repeat(32) }] },
      'upload.etag_mismatch',
      ['parts', 0, 'etag'],
    ],
    [
      'a part of another number',
      { parts: [{ part_number: 2, etag: 'x' }] },
      'validation.value',
      ['parts', 0, 'part_number'],
    ],
    ['the path of another file', { path: 'elsewhere' }, 'validation.value', ['path']],
    ['part number 0', { parts: [{ part_number: 0, etag: 'x' }] }, 'validation.value', ['parts', 0, 'part_number']],
    ['an empty etag', { parts: [{ part_number: 1, etag: '' }] }, 'validation.value', ['parts', 0, 'etag']],
    ['no parts', { parts: [] }, 'validation.value', ['parts']],
  ])(
    'refuses %s with 422, links nothing of the request, and takes the right one afterwards',
    async (_what, change, type, at) => {
      const repo = await hub.repo(ada)
      const good = await hub.sendFile(ada, repo, 'good', 'good')
      const sent = await hub.sendFile(ada, repo, 'a', 'bytes')
      const refused = await hub.complete(ada, repo, [good, { ...sent, ...change }])
      expect(refused.status).toBe(422)
      expect(refused.json.errors[0]).toMatchObject({ type, loc: ['body', 'uploads', 1, ...at] })
      expect((await tree('', repo)).json.items).toEqual([])
      expect((await hub.complete(ada, repo, [good, sent])).status).toBe(200)
    },
  )

  it('rejects a part that was never sent', async () => {
    const repo = await hub.repo(ada)
    const [target] = (await presign([file('a')], repo)).json.uploads
    const refused = await hub.complete(ada, repo, [
      { path: 'a', upload_id: target.upload_id, parts: [{ part_number: 1, etag: 'x' }] },
    ])
    expect([refused.status, types(refused)]).toEqual([422, ['upload.part_missing']])
  })

  it('rejects fewer bytes, more bytes and other bytes than were announced', async () => {
    const repo = await hub.repo(ada)
    const [target] = (await presign([file('short', 'fives')], repo)).json.uploads
    const refusedPart = async (bytes: string) => {
      const answer = await hub.put(target.parts[0].url, bytes)
      return [answer.status, (await answer.json()).errors[0].type]
    }
    expect(await refusedPart('four')).toEqual([422, 'upload.size_mismatch'])
    expect(await refusedPart('sixsix')).toEqual([413, 'too_large'])
    const piece = await fetch(target.parts[0].url, {
      method: 'PUT',
      body: 'fives',
      headers: { 'content-range': 'bytes 5-9/20' },
    })
    expect([piece.status, (await piece.json()).errors[0].type]).toEqual([400, 'validation.request'])
    const short = { path: 'short', upload_id: target.upload_id, parts: [{ part_number: 1, etag: 'x' }] }
    expect(types(await hub.complete(ada, repo, [short]))).toEqual(['upload.part_missing'])
    const other = await hub.sendFile(ada, repo, 'other', 'bytes', { sha256: sha256Of('other') })
    const good = await hub.sendFile(ada, repo, 'good', 'good')
    const refused = await hub.complete(ada, repo, [good, other])
    expect([refused.status, types(refused)]).toEqual([422, ['upload.sha256_mismatch']])
    expect(refused.json.detail).toContain('other')
    expect((await tree('', repo)).json.items).toEqual([])
    expect((await hub.complete(ada, repo, [good])).status).toBe(200)
  })

  it('uses the parts in the store: a part sent again replaces the first one, and extra bytes change nothing', async () => {
    const repo = await hub.repo(ada)
    const [target] = (await presign([file('a', 'bytes')], repo)).json.uploads
    const url: string = target.parts[0].url
    const first = (await hub.put(url, 'wrong')).headers.get('etag')
    expect((await hub.put(url, 'too many bytes')).status).toBe(413)
    const complete = (etag: string | null) =>
      hub.complete(ada, repo, [{ path: 'a', upload_id: target.upload_id, parts: [{ part_number: 1, etag }] }])
    const second = (await hub.put(url, 'bytes')).headers.get('etag')
    expect(types(await complete(first))).toEqual(['upload.etag_mismatch'])
    expect((await complete(second)).json.files).toMatchObject([{ path: 'a', sha256: sha256Of('bytes') }])
  })

  it('is 404 for an upload that is unknown or of another repo, 409 for one already completed', async () => {
    const [repo, other] = [await hub.repo(ada), await hub.repo(ada)]
    const sent = await hub.sendFile(ada, other, 'a', 'bytes')
    const foreign = await hub.complete(ada, repo, [sent])
    expect(refusal(foreign)).toEqual([404, ['not_found'], [['body', 'uploads', 0, 'upload_id']]])
    expect((await hub.complete(ada, repo, [{ ...sent, upload_id: 'upl_nonsense' }])).status).toBe(404)
    expect((await hub.complete(ada, other, [sent])).status).toBe(200)
    const again = await hub.complete(ada, other, [sent])
    expect(refusal(again)).toEqual([409, ['conflict.terminal'], [['body', 'uploads', 0, 'upload_id']]])
    const twice = await hub.sendFile(ada, repo, 'b', 'bytes')
    expect([...types(await hub.complete(ada, repo, [twice, twice]))]).toContain('validation.duplicate')
  })

  it('enforces if_none_match and if_match with 412', async () => {
    const repo = await hub.repo(ada)
    const sent = async (change = {}) => ({ ...(await hub.sendFile(ada, repo, 'a', newName())), ...change })
    const absent = await hub.complete(ada, repo, [await sent({ if_match: 'a'.repeat(64) })])
    expect(refusal(absent)).toEqual([412, ['precondition.failed'], [['body', 'uploads', 0, 'if_match']]])
    const made = await hub.complete(ada, repo, [await sent({ if_none_match: '*' })])
    expect(made.status).toBe(200)
    const exists = await hub.complete(ada, repo, [await sent({ if_none_match: '*' })])
    expect(refusal(exists)).toEqual([412, ['precondition.failed'], [['body', 'uploads', 0, 'if_none_match']]])
    const { sha256 } = made.json.files[0]
    expect((await hub.complete(ada, repo, [await sent({ if_match: sha256 })])).status).toBe(200)
    expect((await hub.complete(ada, repo, [await sent({ if_match: sha256 })])).status).toBe(412)
    expect((await hub.complete(ada, repo, [await sent({ if_none_match: 'x' })])).status).toBe(422)
    expect((await hub.complete(ada, repo, [await sent({ if_match: null, if_none_match: null })])).status).toBe(200)
  })
})

describe('presign-download', () => {
  it('answers URLs for an hour, for anyone where the repo is public', async () => {
    const repo = await hub.repo(ada, { visibility: 'public' })
    await hub.upload(ada, repo, { 'a b.txt': 'first', 'é.txt': 'second' })
    const answer = await files(null, 'presign-download', { paths: ['é.txt', 'a b.txt'] }, repo)
    expect(answer.json.files).toEqual(
      ['é.txt', 'a b.txt'].map((path) => ({ path, url: expect.any(String), expires_at: isTime })),
    )
    expect(Math.abs(Date.parse(answer.json.files[0].expires_at) - Date.now() - 3_600_000)).toBeLessThan(60_000)
    const got = await fetch(answer.json.files[1].url)
    expect([await got.text(), got.headers.get('content-type')]).toEqual([
      'first',
      expect.stringContaining('text/plain'),
    ])
    expect(got.headers.get('content-disposition')).toMatch(/^attachment; filename="?a b\.txt"?/)
    const part = await fetch(answer.json.files[0].url, { headers: { range: 'bytes=1-3' } })
    expect([part.status, await part.text(), part.headers.get('content-range')]).toEqual([206, 'eco', 'bytes 1-3/6'])
  })

  it('is all or nothing: 404 lists every missing path in the detail', async () => {
    const repo = await hub.repo(ada)
    await hub.upload(ada, repo, { a: 'a' })
    const refused = await files(ada, 'presign-download', { paths: ['x/1', 'a', 'x/2'] }, repo)
    expect(refusal(refused)).toEqual([
      404,
      ['not_found', 'not_found'],
      [
        ['body', 'paths', 0],
        ['body', 'paths', 2],
      ],
    ])
    expect(refused.json.detail).toMatch(/"x\/1".*"x\/2"/)
    expect(refused.json).not.toHaveProperty('files')
  })

  it('makes URLs that a change of one character, another method or an hour ends', async () => {
    const repo = await hub.repo(ada)
    await hub.upload(ada, repo, { a: 'a' })
    const [{ url }] = (await files(ada, 'presign-download', { paths: ['a'] }, repo)).json.files
    const [target] = (await presign([file('b')], repo)).json.uploads
    const partUrl: string = target.parts[0].url
    expect((await fetch(url)).status).toBe(200)
    for (const member of new URL(url).searchParams.keys()) {
      const value = new URL(url).searchParams.get(member) ?? ''
      const tampered = new URL(url)
      tampered.searchParams.set(member, `${value.slice(0, -1)}${neighbour(value.at(-1) ?? '')}`)
      expect([member, (await fetch(tampered)).status]).toEqual([member, 403])
    }
    expect((await hub.put(url, 'x')).status).toBe(403)
    expect((await fetch(partUrl)).status).toBe(403)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_601_000 })
    const expired = await fetch(url)
    expect([expired.status, (await expired.json()).errors]).toMatchObject([403, [{ type: 'forbidden.signature' }]])
    expect((await hub.put(partUrl, 'b')).status).toBe(200)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_400_000 })
    expect((await hub.put(partUrl, 'b')).status).toBe(403)
  })
})

describe('delete', () => {
  it('answers deleted and missing, in the order asked, and leaves the rest', async () => {
    const repo = await hub.repo(ada)
    await hub.upload(ada, repo, { a: 'a', b: 'bb', c: 'ccc' })
    const gone = await files(ada, 'delete', { paths: ['c', 'nothing', 'a'] }, repo)
    expect([gone.status, gone.json]).toEqual([200, { deleted: ['c', 'a'], missing: ['nothing'] }])
    expect(paths(await tree('', repo))).toEqual(['b'])
    expect((await hub.call(ada, 'GET', `/v1/repos/${repo}`)).json.file_summary).toEqual({
      count: 1,
      total_bytes: 2,
      verified_count: 1,
    })
    expect((await files(ada, 'delete', { paths: ['a'] }, repo)).json).toEqual({ deleted: [], missing: ['a'] })
    expect((await files(ada, 'presign-download', { paths: ['a'] }, repo)).status).toBe(404)
  })
})

describe('the tree', () => {
  it('is flat, in byte order, by prefix, 500 unless asked, 1 to 1000', async () => {
    const repo = await hub.repo(ada)
    await hub.upload(ada, repo, { 'a/1': 'x', 'a/2': 'x', 'a-b': 'x', B: 'x', 'a%': 'x', 'ab/c': 'x' })
    expect(paths(await tree('', repo))).toEqual(['B', 'a%', 'a-b', 'a/1', 'a/2', 'ab/c'])
    expect(paths(await tree('prefix=a/', repo))).toEqual(['a/1', 'a/2'])
    expect(paths(await tree('prefix=a', repo))).toEqual(['a%', 'a-b', 'a/1', 'a/2', 'ab/c'])
    expect(paths(await tree('prefix=a%25', repo))).toEqual(['a%'])
    expect(paths(await tree('prefix=', repo))).toHaveLength(6)
    expect((await tree('prefix=zzz', repo)).json).toEqual({ items: [], next_cursor: null })
    expect((await tree(`prefix=${'a'.repeat(1024)}`, repo)).status).toBe(200)
    for (const query of [
      `prefix=${'a'.repeat(1025)}`,
      'limit=0',
      'limit=1001',
      'limit=x',
      'recursive=1',
      `cursor=${'a'.repeat(513)}`,
    ])
      expect([query, (await tree(query, repo)).status]).toEqual([query, 422])
    expect((await tree('limit=1000', repo)).status).toBe(200)
    expect((await hub.call(bob, 'GET', `/v1/repos/${repo}/tree`)).status).toBe(404)
    const first = await tree('limit=2', repo)
    await files(ada, 'delete', { paths: ['a%'] }, repo)
    await hub.upload(ada, repo, { 'a!': 'x', a0: 'x' })
    const rest = await tree(`cursor=${first.json.next_cursor}`, repo)
    expect(paths(rest)).toEqual(['a-b', 'a/1', 'a/2', 'a0', 'ab/c'])
    expect((await tree(`prefix=a&cursor=${first.json.next_cursor}`, repo)).status).toBe(422)
    expect((await tree(`cursor=${first.json.next_cursor}`, name)).status).toBe(422)
  })

  it('is the same in both dialects', async () => {
    const repo = await hub.repo(ada)
    await hub.upload(ada, repo, { 'x/1': 'x', 'x/2': 'yy', z: 'z' })
    const query = `query ($owner: String!, $slug: String!) { repo(owner: $owner, slug: $slug) { files(prefix: "x/", first: 1) {
      nodes { path size etag sha256 mime updatedAt } pageInfo { hasNextPage } } } }`
    const [owner, slug] = repo.split('/')
    const { nodes, pageInfo } = (await hub.graphql(ada, query, { owner, slug })).data.repo.files
    const page = (await tree('prefix=x/&limit=1', repo)).json
    const { updated_at: updatedAt, ...rest } = page.items[0]
    expect([nodes, pageInfo]).toEqual([[{ ...rest, updatedAt }], { hasNextPage: true }])
  })
})

describe('resolve', () => {
  it('redirects GET and HEAD to a signed URL, with the sha256 as ETag', async () => {
    const repo = await hub.repo(ada)
    await hub.upload(ada, repo, { 'a/b c.txt': 'bytes' })
    const url = `/v1/repos/${repo}/resolve/a/b%20c.txt`
    const etag = `"${sha256Of('bytes')}"`
    for (const method of ['GET', 'HEAD']) {
      const found = await hub.send(ada, method, url)
      expect([found.status, found.headers.get('etag')]).toEqual([302, etag])
      expect(await (await fetch(found.headers.get('location') ?? '')).text()).toBe('bytes')
      const same = await hub.send(ada, method, url, { headers: { 'if-none-match': etag } })
      expect([same.status, same.text, same.headers.get('location')]).toEqual([304, '', null])
      expect((await hub.send(ada, method, url, { headers: { 'if-none-match': '"other"' } })).status).toBe(302)
    }
    expect((await hub.send(ada, 'GET', `/v1/repos/${repo}/resolve/a`)).status).toBe(404)
    expect((await hub.send(bob, 'GET', url)).status).toBe(404)
    const post = await hub.send(ada, 'POST', url)
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })
})
