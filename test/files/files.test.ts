import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  type Answer,
  contractHub,
  type Json,
  newName,
  type Person,
  places,
  sha256Of,
  types,
  type Who,
} from '../support/hub.ts'

const hub = contractHub()
const MIB = 1_048_576
const isTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
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

const files = (who: Who, operation: string, body: unknown, repo = name) =>
  hub.call(who, 'POST', `/v1/repos/${repo}/files/${operation}`, body)
const presign = (list: readonly unknown[], repo = name) => files(ada, 'presign-upload', { files: list }, repo)
const file = (path: string, bytes = path) => ({ path, size: Buffer.byteLength(bytes), sha256: sha256Of(bytes) })
const tree = (query = '', repo = name) => hub.call(ada, 'GET', `/v1/repos/${repo}/tree?${query}`)
const paths = (answer: Answer): string[] => answer.json.items.map((item: Json) => item.path)
const refusal = (answer: Answer) => [answer.status, types(answer), places(answer)]

/** The state that a rejected request must not change. */
const state = async (repo = name) => [
  (await tree('', repo)).json,
  (await hub.call(ada, 'GET', `/v1/repos/${repo}`)).json,
]

/** The letter next to it in base64url: at the end of a signature, the two spell the same bytes. */
function neighbour(letter: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return alphabet[alphabet.indexOf(letter) ^ 1] ?? 'A'
}

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
  it('answers URLs for an hour, for anybody where the repo is public', async () => {
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
