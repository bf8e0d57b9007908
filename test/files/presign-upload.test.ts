import { beforeAll, describe, expect, it } from 'vitest'
import { file, fileRequests, isTime, MIB, paths, refusal } from '../support/file-requests.ts'
import { contractHub, type Json, type Person, places, sha256Of, types, type Who } from '../support/hub.ts'

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

const files = (who: Who, operation: string, body: unknown, repo = name) => requests.files(who, operation, body, repo)
const presign = (list: readonly unknown[], repo = name) => files(ada, 'presign-upload', { files: list }, repo)
const tree = (query = '', repo = name) => requests.tree(ada, repo, query)
const state = (repo = name) => requests.state(ada, repo)

const badPaths = [
  '',
  '/a',
  'a/',
  'a//b',
  '.',
  '..',
  './a',
  'a/./b',
  'a/../b',
  '../a',
  'a\\b',
  'a\nb',
  'a\u007fb',
  'a\u0085b',
  'e\u0301',
  'a'.repeat(256),
  Array.from({ length: 5 }, () => 'a'.repeat(210)).join('/'),
]
const goodPaths = [
  'a',
  'é/ü.txt',
  '...',
  'a b',
  '.hidden/-',
  'a'.repeat(255),
  `${`${'b'.repeat(255)}/`.repeat(3)}${'b'.repeat(254)}/b`,
  '日本/🤖.xml',
]

describe('presign-upload', () => {
  it('returns one target for each file, in the requested order, with parts of 100 MiB', async () => {
    const large = { path: 'large.bin', size: 104_857_601, sha256: 'a'.repeat(64) }
    const answer = await presign([file('one'), large, { ...file('zero', ''), content_type: 'text/plain' }])
    expect(answer.status).toBe(200)
    const expires = Date.parse(answer.json.expires_at)
    expect(answer.json.expires_at).toEqual(isTime)
    expect(Math.abs(expires - Date.now() - 86_400_000)).toBeLessThan(60_000)
    const part = (part_number: number) => ({ part_number, url: expect.stringMatching(/^http:\/\//) })
    expect(answer.json.uploads).toMatchObject([
      { path: 'one', upload_id: expect.any(String), part_size: 104_857_600, parts: [part(1)], uploaded: [] },
      { path: 'large.bin', part_size: 104_857_600, parts: [part(1), part(2)] },
      { path: 'zero', parts: [part(1)] },
    ])
  })

  it.each(badPaths)('rejects the path %j with 422 naming it', async (path) => {
    expect(refusal(await presign([file('fine'), file(path, 'x')]))).toEqual([
      422,
      ['validation.path'],
      [['body', 'files', 1, 'path']],
    ])
    for (const operation of ['presign-download', 'delete'])
      expect(refusal(await files(ada, operation, { paths: [path] }))).toEqual([
        422,
        ['validation.path'],
        [['body', 'paths', 0]],
      ])
    const upload = { path, upload_id: 'x', parts: [{ part_number: 1, etag: 'x' }] }
    expect(refusal(await hub.complete(ada, name, [upload]))).toEqual([
      422,
      ['validation.path'],
      [['body', 'uploads', 0, 'path']],
    ])
  })

  it('takes a part size of whole MiB from 8 to 100, and names the limits otherwise', async () => {
    const repo = await hub.repo(ada)
    const asked = (part_size: unknown) => presign([{ ...file('sized'), part_size }], repo)
    for (const size of [8 * MIB, 9 * MIB, 100 * MIB])
      expect((await presign([{ ...file(`sized-${size}`), part_size: size }], repo)).json.uploads).toMatchObject([
        { part_size: size },
      ])
    for (const size of [8 * MIB - 1, 7 * MIB, 8 * MIB + 1, 101 * MIB, 0, -8 * MIB])
      expect(refusal(await asked(size))).toEqual([422, ['validation.value'], [['body', 'files', 0, 'part_size']]])
    expect(JSON.stringify((await asked(7 * MIB)).json)).toContain(`${8 * MIB}`)
    expect((await asked(null)).json.uploads).toMatchObject([{ part_size: 100 * MIB }])
  })

  it('signs at most 10,000 parts for a request that asks for a part size', async () => {
    const repo = await hub.repo(bob)
    const asked = (list: readonly unknown[]) => files(bob, 'presign-upload', { files: list }, repo)
    const large = (path: string, parts: number) => ({
      ...{ path, size: parts * 8 * MIB, sha256: sha256Of(path), part_size: 8 * MIB },
    })
    const most = [large('a', 6_400), large('b', 3_599), file('c')]
    expect(refusal(await asked([...most, file('d')]))).toEqual([422, ['validation.value'], [['body', 'files']]])
    const answer = await asked(most)
    expect(answer.json.uploads.map((one: Json) => one.parts.length)).toEqual([6_400, 3_599, 1])
  })

  it('verifies a file of small parts before it answers, as any file of up to 100 MiB', async () => {
    const repo = await hub.repo(ada)
    const bytes = Buffer.alloc(8 * MIB + 1, 7)
    const sized = { path: 'sized', size: bytes.length, sha256: sha256Of(bytes), part_size: 8 * MIB }
    const [target] = (await presign([sized], repo)).json.uploads
    const etags = []
    for (const [index, { url }] of target.parts.entries())
      etags.push((await hub.put(url, bytes.subarray(index * 8 * MIB, (index + 1) * 8 * MIB))).headers.get('etag'))
    const parts = etags.map((etag, index) => ({ part_number: index + 1, etag }))
    const done = await hub.complete(ada, repo, [{ path: 'sized', upload_id: target.upload_id, parts }])
    expect(done.json.files).toMatchObject([{ size: bytes.length, sha256: sha256Of(bytes) }])
  })

  it('rejects text with a NUL or a lone surrogate', async () => {
    for (const path of ['a\u0000b', 'a\ud800b'])
      expect(refusal(await presign([file(path, 'x')]))).toEqual([
        422,
        ['validation.value'],
        [['body', 'files', 0, 'path']],
      ])
  })

  it('accepts every path of 1 to 1024 bytes with segments of 1 to 255', async () => {
    const repo = await hub.repo(ada)
    expect(
      goodPaths
        .map((path) => Buffer.byteLength(path))
        .sort((a, b) => a - b)
        .at(-1),
    ).toBe(1024)
    await hub.upload(ada, repo, Object.fromEntries(goodPaths.map((path) => [path, 'x'])))
    const byBytes = [...goodPaths].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    expect(paths(await tree('', repo))).toEqual(byBytes)
    const walked: string[] = []
    for (let cursor = ''; cursor !== null; ) {
      const page = await tree(`limit=1${cursor && `&cursor=${cursor}`}`, repo)
      walked.push(...paths(page))
      cursor = page.json.next_cursor
      expect((cursor ?? '').length).toBeLessThanOrEqual(512)
    }
    expect(walked).toEqual(byBytes)
    for (const path of goodPaths) {
      const url = `/v1/repos/${repo}/resolve/${path.split('/').map(encodeURIComponent).join('/')}`
      if (path !== '...') expect([path, (await hub.send(ada, 'GET', url)).status]).toEqual([path, 302])
    }
  })

  it.each([
    ['size', -1, 422],
    ['size', 1.5, 422],
    ['size', '1', 422],
    ['size', null, 422],
    ['size', 53_687_091_201, 413],
    ['sha256', 'A'.repeat(64), 422],
    ['sha256', 'a'.repeat(63), 422],
    ['sha256', 'a'.repeat(65), 422],
    ['sha256', `${'a'.repeat(63)}g`, 422],
    ['sha256', null, 422],
    ['content_type', 'a'.repeat(256), 422],
    ['content_type', 1, 422],
    ['mode', '0644', 422],
  ])('refuses a file whose %s is %j', async (member, value, status) => {
    const before = await state()
    const refused = await presign([{ ...file('x'), [member]: value }])
    expect([refused.status, places(refused)]).toEqual([status, [['body', 'files', 0, member]]])
    expect(await state()).toEqual(before)
  })

  it('rejects a file without size or sha256, and accepts content_type null and of 255 characters', async () => {
    for (const member of ['path', 'size', 'sha256']) {
      const { [member as 'path']: _left, ...rest } = file('x')
      expect(refusal(await presign([rest]))).toEqual([422, ['validation.required'], [['body', 'files', 0, member]]])
    }
    expect((await presign([{ ...file('ct'), content_type: null }])).status).toBe(200)
    expect((await presign([{ ...file('ct'), content_type: 'a'.repeat(255) }])).status).toBe(200)
  })

  it('accepts a file of 50 GiB', async () => {
    const repo = await hub.repo(ada)
    const answer = await presign([{ ...file('huge'), size: 53_687_091_200 }], repo)
    expect([answer.status, answer.json.uploads[0].parts.length]).toEqual([200, 512])
    const { upload_id } = answer.json.uploads[0]
    expect((await hub.call(ada, 'DELETE', `/v1/repos/${repo}/files/uploads/${upload_id}`)).status).toBe(204)
  })

  it('accepts 1 to 100 items, in each of the four operations', async () => {
    const repo = await hub.repo(ada)
    const many = (count: number) => Array.from({ length: count }, (_, at) => `f${at}`)
    const upload = (path: string) => ({ path, upload_id: `upl_${path}`, parts: [{ part_number: 1, etag: 'x' }] })
    for (const count of [0, 101]) {
      const bodies = {
        'presign-upload': { files: many(count).map((path) => file(path)) },
        complete: { uploads: many(count).map(upload) },
        'presign-download': { paths: many(count) },
        delete: { paths: many(count) },
      }
      for (const [operation, body] of Object.entries(bodies)) {
        const refused = await files(ada, operation, body, repo)
        expect([operation, refused.status, places(refused)]).toEqual([operation, 422, [['body', Object.keys(body)[0]]]])
      }
    }
    expect(
      (
        await presign(
          many(100).map((path) => file(path)),
          repo,
        )
      ).json.uploads,
    ).toHaveLength(100)
    expect((await files(ada, 'delete', { paths: many(100) }, repo)).json.missing).toHaveLength(100)
    expect((await files(ada, 'presign-download', { paths: many(100) }, repo)).json.errors).toHaveLength(100)
    expect((await files(ada, 'complete', { uploads: many(100).map(upload) }, repo)).status).toBe(404)
  })

  it('rejects a path that is named twice', async () => {
    expect(refusal(await presign([file('a'), file('b'), file('a', 'other')]))).toEqual([
      422,
      ['validation.duplicate'],
      [['body', 'files', 2, 'path']],
    ])
  })
})

describe('an upload that resumes', () => {
  it('is the same upload with fresh URLs and the parts that the store has', async () => {
    const repo = await hub.repo(ada)
    const target = async (who: Who, change = {}) =>
      (await files(who, 'presign-upload', { files: [{ ...file('a', 'bytes'), ...change }] }, repo)).json.uploads[0]
    const first = await target(ada)
    const put = await hub.put(first.parts[0].url, 'bytes')
    const again = await target(ada)
    expect(again).toMatchObject({ upload_id: first.upload_id, uploaded: [1] })
    expect((await hub.put(again.parts[0].url, 'bytes')).status).toBe(200)
    expect((await target(await hub.key(ada))).upload_id).toBe(first.upload_id)
    expect((await target(ada, { sha256: sha256Of('other') })).upload_id).not.toBe(first.upload_id)
    expect((await target(ada, { size: 6 })).upload_id).not.toBe(first.upload_id)
    const parts = [{ part_number: 1, etag: put.headers.get('etag') }]
    const done = await hub.complete(ada, repo, [{ path: 'a', upload_id: first.upload_id, parts }])
    expect(done.status).toBe(200)
    expect((await target(ada)).upload_id).not.toBe(first.upload_id)
  })

  it('keeps its part size for a client that asks for one, and is replaced for one that knows only 100 MiB', async () => {
    const repo = await hub.repo(ada)
    const reserved = async () => (await hub.call(ada, 'GET', '/v1/me')).json.storage.reserved_bytes
    const before = await reserved()
    const large = { path: 'large', size: 104_857_601, sha256: sha256Of('large') }
    const target = async (change = {}) =>
      (await files(ada, 'presign-upload', { files: [{ ...large, ...change }] }, repo)).json.uploads[0]
    const first = await target({ part_size: 16 * MIB })
    expect([first.part_size, first.parts.length]).toEqual([16 * MIB, 7])
    const again = await target({ part_size: 8 * MIB })
    expect([again.upload_id, again.part_size, again.parts.length]).toEqual([first.upload_id, 16 * MIB, 7])
    const plain = await target()
    expect([plain.upload_id === first.upload_id, plain.part_size, plain.parts.length]).toEqual([false, 100 * MIB, 2])
    expect(await reserved()).toBe(before + large.size)
    expect(await target({ part_size: 8 * MIB })).toMatchObject({ upload_id: plain.upload_id, part_size: 100 * MIB })
  })

  it('can be aborted once: 204, then 409, and 404 for one of another repo', async () => {
    const [repo, other] = [await hub.repo(ada), await hub.repo(ada)]
    const { upload_id } = await hub.sendFile(ada, repo, 'a', 'bytes')
    const abort = (of: string) => hub.call(ada, 'DELETE', `/v1/repos/${of}/files/uploads/${upload_id}`)
    const reserved = async () => (await hub.call(ada, 'GET', '/v1/me')).json.storage.reserved_bytes
    const before = await reserved()
    expect((await abort(other)).status).toBe(404)
    expect((await abort(repo)).status).toBe(204)
    expect(await reserved()).toBe(before - 5)
    expect(types(await abort(repo))).toEqual(['conflict.terminal'])
    expect((await hub.call(ada, 'DELETE', `/v1/repos/${repo}/files/uploads/nonsense`)).status).toBe(404)
    const late = await hub.complete(ada, repo, [{ path: 'a', upload_id, parts: [{ part_number: 1, etag: 'x' }] }])
    expect([late.status, types(late)]).toEqual([409, ['conflict.terminal']])
  })
})
