/** Contents that are sent ahead of a commit as a tar archive: what is one, its limits, and who can send it. */
import { randomBytes } from 'node:crypto'
import { Header } from 'tar'
import { describe, expect, it } from 'vitest'
import { readArchive } from '../../src/files/blobs/read-archive.ts'
import { MAX_ARCHIVED_BYTES, MAX_CONTENT_ARCHIVE_BYTES, MAX_INLINE_FILES } from '../../src/files/limits.ts'
import { atOnce } from '../../src/platform/slices.ts'
import type { Json } from '../support/hub.ts'
import { commitCalls } from './support/commit-calls.ts'

const BLOCK = 512
const END = Buffer.alloc(2 * BLOCK)

type Kind = 'File' | 'Directory' | 'SymbolicLink' | 'ExtendedHeader'

/** An entry: its header, its bytes, and zeros up to a whole block. */
function entry(path: string, content: string | Buffer, type: Kind = 'File'): Buffer {
  const bytes = Buffer.from(content)
  const header = Buffer.alloc(BLOCK)
  new Header({ path, size: bytes.length, mode: 0o644, type, linkpath: type === 'SymbolicLink' ? '/etc' : '' }).encode(
    header,
  )
  return Buffer.concat([header, bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)])
}

/** A header for more of the next entry, whose size is written in binary. */
function sized(size: number): Buffer {
  const header = entry('x', '', 'ExtendedHeader')
  header[124] = size < 0 ? 0xff : 0x80
  header.fill(size < 0 ? 0xff : 0, 125, 128)
  header.writeBigInt64BE(BigInt(size), 128)
  header.fill(' ', 148, 156)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

const archiveOf = (...entries: readonly Buffer[]) => Buffer.concat([...entries, END])
const read = (archive: Buffer) => atOnce(readArchive(archive)).map(({ bytes }) => bytes.toString())

describe('an archive of contents', () => {
  it('has the files in order, also empty ones and equal ones, whatever their names; folders are passed over', () => {
    const entries = [
      entry('d', '', 'Directory'),
      entry('d/a', 'first'),
      entry('d/a', ''),
      entry('x'.repeat(64), 'first'),
    ]
    expect(read(archiveOf(...entries))).toEqual(['first', '', 'first'])
    // Without the blocks at its end, and with an extended header before a file.
    expect(read(Buffer.concat([entry('PaxHeader/b', '11 path=b\n\n', 'ExtendedHeader'), entry('b', 'b')]))).toEqual([
      'b',
    ])
  })

  it('has files of at most 1 MiB, and at most 1,000 of them', () => {
    const largest = randomBytes(MAX_ARCHIVED_BYTES)
    expect(atOnce(readArchive(archiveOf(entry('a', largest))))[0]?.size).toBe(MAX_ARCHIVED_BYTES)
    const refused = { type: 'too_large', status: 413 }
    const larger = () => read(archiveOf(entry('a', Buffer.concat([largest, Buffer.from('x')]))))
    expect(larger).toThrow(expect.objectContaining({ ...refused, message: expect.stringContaining('1048577 bytes') }))
    const most = Array.from({ length: MAX_INLINE_FILES }, () => entry('a', 'a'))
    expect(read(archiveOf(...most))).toHaveLength(MAX_INLINE_FILES)
    expect(() => read(archiveOf(...most, entry('a', 'a')))).toThrow(expect.objectContaining(refused))
  })

  it.each([
    ['nothing', Buffer.alloc(0), 'has no files'],
    ['only its end', END, 'has no files'],
    ['only folders', archiveOf(entry('d', '', 'Directory')), 'has no files'],
    ['no tar', Buffer.alloc(BLOCK, 'not a tar '), 'there is no entry at byte 0'],
    ['a size below 0', archiveOf(sized(-BLOCK)), 'there is no entry at byte 0'],
    ['a size that no number holds', archiveOf(sized(2 ** 60)), 'there is no entry at byte 0'],
    ['a file that was cut', entry('a', 'x'.repeat(2000)).subarray(0, 3 * BLOCK), 'ends in the middle of "a"'],
    ['a link', archiveOf(entry('a', '', 'SymbolicLink')), 'is not a file: SymbolicLink'],
  ])('of %s is refused', (_what, archive, why) => {
    expect(() => read(archive)).toThrow(expect.objectContaining({ status: 422, message: expect.stringContaining(why) }))
  })

  it('pauses after each mebibyte, and after 500 headers', () => {
    const pauses = (archive: Buffer) => [...readArchive(archive)].length
    expect(pauses(archiveOf(...Array.from({ length: 4 }, () => entry('a', Buffer.alloc(MAX_ARCHIVED_BYTES)))))).toBe(4)
    expect(pauses(archiveOf(...Array.from({ length: 2000 }, () => entry('d', '', 'Directory')), entry('a', '')))).toBe(
      4,
    )
  })
})

describe('PUT …/blobs/archive', () => {
  const lab = commitCalls()
  const { hub, named, commit, paths, sums } = lab
  const put = (
    repo: string,
    archive: Buffer,
    { who = lab.ada, type = 'application/x-tar' }: { who?: Parameters<typeof hub.send>[0]; type?: string } = {},
  ) =>
    hub.send(who, 'PUT', `/v1/repos/${repo}/blobs/archive`, {
      headers: { 'content-type': type },
      body: new Uint8Array(archive),
    })

  it('stores each content once, however often it is sent, and a commit gives them their paths', async () => {
    const repo = await hub.repo(lab.ada)
    const [first, second] = [`first of ${repo}`, `second of ${repo}`]
    const archive = archiveOf(...[first, second, first].map((text) => entry(named(text).sha256, text)))
    for (const _again of [1, 2]) {
      const answer = await put(repo, archive)
      expect([answer.status, answer.json]).toEqual([200, { blobs: [first, second, first].map(named) }])
    }
    expect(await sums(lab.ada.handle)).toMatchObject({ pending: 2 })
    const add = [first, second].map((text, at) => ({ path: `${at}.txt`, ...named(text) }))
    expect((await commit(repo, { add })).status).toBe(200)
    expect(await paths(repo)).toEqual(['0.txt', '1.txt'])
    expect(await sums(lab.ada.handle)).toMatchObject({ reserved: 0, pending: 0 })
  })

  it('stores nothing of an archive with a wrong digest, a cut file or too many bytes for the quota', async () => {
    const eve = await hub.person()
    const repo = await hub.repo(eve)
    const fine = entry('a', `fine in ${repo}`)
    const wrong = await put(repo, archiveOf(fine, entry(named('other').sha256, 'bytes')), { who: eve })
    expect([wrong.status, wrong.json.errors[0].type]).toEqual([422, 'upload.sha256_mismatch'])
    expect(
      (await put(repo, Buffer.concat([fine, entry('b', 'x'.repeat(900)).subarray(0, 800)]), { who: eve })).status,
    ).toBe(422)
    const quota = hub.running.deps.config.storageQuotaBytes
    const fill = (bytes: number) => hub.sql('update accounts set storage_bytes = $1 where id = $2', [bytes, eve.id])
    await fill(quota - `fine in ${repo}`.length + 1)
    const full = await put(repo, archiveOf(fine), { who: eve })
    expect([full.status, full.json.errors[0].type]).toEqual([413, 'quota.storage'])
    const [open] = await hub.sql('select count(*)::int as n from uploads where owner_id = $1', [eve.id])
    expect(open).toEqual({ n: 0 })
    await fill(quota - `fine in ${repo}`.length)
    expect((await put(repo, archiveOf(fine), { who: eve })).status).toBe(200)
    await fill(0)
  })

  it('is stored as it was sent, also in pieces of a length that is not said, and several at once', async () => {
    const repo = await hub.repo(lab.ada)
    const sendInPieces = (bytes: Uint8Array<ArrayBuffer>) => {
      const headers = { 'content-type': 'application/x-tar' }
      const init = { headers, body: new Blob([bytes]).stream(), duplex: 'half' }
      return hub.send(lab.ada, 'PUT', `/v1/repos/${repo}/blobs/archive`, init)
    }
    const texts = Array.from({ length: 30 }, () => randomBytes(50_000).toString('hex'))
    const archives = [0, 10, 20].map((from) =>
      archiveOf(...texts.slice(from, from + 10).map((text) => entry('a', text))),
    )
    const answers = await Promise.all(archives.map(sendInPieces))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const add = texts.map((text, at) => ({ path: `${at}`, ...named(text) }))
    expect((await commit(repo, { add })).status).toBe(200)
    for (const [at, text] of texts.entries()) {
      const file = await hub.send(lab.ada, 'GET', `/v1/repos/${repo}/resolve/${at}`)
      const stored = await fetch(file.headers.get('location') ?? '')
      expect((await stored.text()) === text).toBe(true)
    }
    expect((await sendInPieces(Buffer.alloc(MAX_CONTENT_ARCHIVE_BYTES + 1))).status).toBe(413)
  })

  it('is for those who can write the repo, takes a tar and nothing else, and at most 32 MiB', async () => {
    const repo = await hub.repo(lab.ada)
    const archive = archiveOf(entry('a', 'a'))
    const statuses = await Promise.all([
      put(repo, archive, { who: null }),
      put(repo, archive, { who: lab.bob }),
      put('nobody/nothing', archive),
      put(repo, archive, { type: 'application/json' }),
      put(repo, Buffer.alloc(MAX_CONTENT_ARCHIVE_BYTES + 1)),
    ])
    expect(statuses.map(({ status }) => status)).toEqual([401, 404, 404, 415, 413])
    expect(statuses[3]?.json.detail).toContain('application/x-tar')
    const shown = await hub.repo(lab.ada, { visibility: 'public' })
    expect((await put(shown, archive, { who: lab.bob })).status).toBe(403)
    const json: Json = await hub.send(lab.ada, 'POST', `/v1/repos/${repo}/blobs`, {
      headers: { 'content-type': 'application/x-tar' },
      body: new Uint8Array(archive),
    })
    expect(json.status).toBe(415)
  })
})
