/** What every object store must do, as one suite. Whatever a store adds to this is tested next to it. */
import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import { describeOnce, itInTorture } from '@hub/testing/torture'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ObjectStore, ObjectStoreError, type StoredPart } from '../../../src/store/objects/object-store.ts'

export interface Subject {
  readonly store: ObjectStore
  /** The prefix of this run's keys; the run deletes them at its end. */
  readonly prefix: string
  close(): Promise<void>
}

/** The least that S3 takes for a part that is not the last. */
const PART_BYTES = 5 * 1024 * 1024

const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')

/** PUT to a signed part URL; returns the ETag, or the status if it was rejected. */
export async function putPart(url: string, bytes: Uint8Array): Promise<string | number> {
  const answer = await fetch(url, { method: 'PUT', body: Buffer.from(bytes) })
  await answer.arrayBuffer()
  return answer.ok ? (answer.headers.get('etag') ?? '').replaceAll('"', '') : answer.status
}

/** The first part, of so many bytes. */
export const partOf = (sizeBytes: number) => ({ partNumber: 1, sizeBytes })

export const code = (wanted: string) => (error: unknown) => error instanceof ObjectStoreError && error.code === wanted

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

export function objectStoreContract(name: string, open: () => Promise<Subject>): void {
  describe(name, () => {
    let subject: Subject
    let store: ObjectStore
    let serial = 0
    const newKey = () => `${subject.prefix}/k${serial++}`

    const upload = async (key: string, numbers: readonly number[], bytesOf: (n: number) => Uint8Array) => {
      const uploadId = await store.createUpload(key, { contentType: 'application/x-test' })
      const parts: StoredPart[] = []
      for (const partNumber of numbers) {
        const bytes = bytesOf(partNumber)
        const etag = await putPart(
          await store.signPart(key, uploadId, { partNumber, sizeBytes: bytes.byteLength }, 60),
          bytes,
        )
        if (typeof etag === 'number') throw new Error(`The store refused a part with ${etag}.`)
        parts.push({ partNumber, etag, sizeBytes: bytes.byteLength })
      }
      return { uploadId, parts }
    }
    const small = (key: string, text = 'hello') => upload(key, [1], () => Buffer.from(text))
    const bytesAt = async (key: string) => await buffer((await store.get(key)).body)

    beforeAll(async () => {
      subject = await open()
      store = subject.store
    })
    afterAll(async () => {
      const keys = (await collect(store.list(`${subject.prefix}/`))).map((object) => object.key)
      await store.delete(keys)
      await subject.close()
    })

    it('responds to a ping', async () => {
      await store.ping()
    })

    describeOnce('multipart uploads', () => {
      it('assembles parts that arrived out of order', async () => {
        const key = newKey()
        const pieces = [randomBytes(PART_BYTES), randomBytes(PART_BYTES), randomBytes(1234)]
        const { uploadId, parts } = await upload(key, [3, 1, 2], (n) => pieces[n - 1] as Buffer)
        expect(await store.head(key)).toBeNull()
        expect(await store.listParts(key, uploadId)).toEqual(
          pieces.map((piece, index) => ({ partNumber: index + 1, etag: md5(piece), sizeBytes: piece.byteLength })),
        )
        const head = await store.completeUpload(key, uploadId, parts)
        expect(head.sizeBytes).toBe(2 * PART_BYTES + 1234)
        expect(head.etag).toMatch(/^[0-9a-f]{32}-3$/)
        expect(await store.head(key)).toEqual(head)
        expect((await bytesAt(key)).equals(Buffer.concat(pieces))).toBe(true)
      })

      it('accepts a single short part', async () => {
        const key = newKey()
        const { uploadId, parts } = await small(key)
        const head = await store.completeUpload(key, uploadId, parts)
        expect(head).toEqual({ sizeBytes: 5, etag: expect.stringMatching(/-1$/) })
        expect((await bytesAt(key)).toString()).toBe('hello')
      })

      it('accepts an empty file as one empty part', async () => {
        const key = newKey()
        const { uploadId, parts } = await upload(key, [1], () => new Uint8Array(0))
        expect(await store.listParts(key, uploadId)).toEqual([
          { partNumber: 1, etag: md5(new Uint8Array(0)), sizeBytes: 0 },
        ])
        expect((await store.completeUpload(key, uploadId, parts)).sizeBytes).toBe(0)
        expect(await bytesAt(key)).toHaveLength(0)
      })

      it('replaces a part that is sent again', async () => {
        const key = newKey()
        const { uploadId, parts } = await small(key, 'first')
        const etag = await putPart(await store.signPart(key, uploadId, partOf(6), 60), Buffer.from('second'))
        expect(await store.listParts(key, uploadId)).toEqual([{ partNumber: 1, etag, sizeBytes: 6 }])
        await expect(store.completeUpload(key, uploadId, parts)).rejects.toSatisfy(code('invalid_part'))
        await store.completeUpload(key, uploadId, [{ partNumber: 1, etag: String(etag), sizeBytes: 6 }])
        expect((await bytesAt(key)).toString()).toBe('second')
      })

      it.each([
        ['one byte more', 6],
        ['one byte fewer', 4],
        ['nothing', 0],
        ['a mebibyte', 1024 * 1024],
      ])('takes exactly the bytes of a part: %s is refused, and nothing of it is kept', async (_what, length) => {
        const key = newKey()
        const uploadId = await store.createUpload(key, {})
        const url = await store.signPart(key, uploadId, partOf(5), 60)
        expect(await putPart(url, Buffer.alloc(length, 'x'))).toBeGreaterThanOrEqual(400)
        expect(await store.listParts(key, uploadId)).toEqual([])
        const etag = await putPart(url, Buffer.from('hello'))
        expect(await store.listParts(key, uploadId)).toEqual([{ partNumber: 1, etag, sizeBytes: 5 }])
        await store.abortUpload(key, uploadId)
      })

      it('accepts no other length through a changed part URL', async () => {
        const key = newKey()
        const uploadId = await store.createUpload(key, {})
        const url = new URL(await store.signPart(key, uploadId, partOf(5), 60))
        if (url.searchParams.has('size')) url.searchParams.set('size', '9')
        else url.searchParams.set('X-Amz-SignedHeaders', 'host')
        expect(await putPart(url.href, Buffer.from('too long!'))).toBe(403)
        expect(await store.listParts(key, uploadId)).toEqual([])
        await store.abortUpload(key, uploadId)
      })

      it('lists no parts of an upload that has none yet', async () => {
        const key = newKey()
        const uploadId = await store.createUpload(key, {})
        expect(await store.listParts(key, uploadId)).toEqual([])
        await store.abortUpload(key, uploadId)
      })

      it.each<[string, (parts: StoredPart[]) => StoredPart[]]>([
        ['a wrong ETag', (parts) => parts.map((part) => ({ ...part, etag: '0'.repeat(32) }))],
        [
          'a part never stored',
          (parts) => [...parts, { partNumber: 2, etag: md5(Buffer.from('hello')), sizeBytes: 5 }],
        ],
        ['a part listed twice', (parts) => [...parts, ...parts]],
        ['an empty list', () => []],
      ])('refuses %s and stays completable', async (_what, spoil) => {
        const key = newKey()
        const { uploadId, parts } = await small(key)
        await expect(store.completeUpload(key, uploadId, spoil(parts))).rejects.toSatisfy(code('invalid_part'))
        expect(await store.head(key)).toBeNull()
        expect((await store.completeUpload(key, uploadId, parts)).sizeBytes).toBe(5)
      })

      it('completes once, and an abort does not delete the object', async () => {
        const key = newKey()
        const { uploadId, parts } = await small(key)
        const head = await store.completeUpload(key, uploadId, parts)
        const again = await store.completeUpload(key, uploadId, parts).catch((error: unknown) => error)
        expect(again).toSatisfy(
          (answer) => code('no_such_upload')(answer) || JSON.stringify(answer) === JSON.stringify(head),
        )
        await expect(store.listParts(key, uploadId)).rejects.toSatisfy(code('no_such_upload'))
        await store.abortUpload(key, uploadId)
        expect((await bytesAt(key)).toString()).toBe('hello')
      })

      it('aborts repeatedly and completes nothing afterwards', async () => {
        const key = newKey()
        const { uploadId, parts } = await small(key)
        await store.abortUpload(key, uploadId)
        await store.abortUpload(key, uploadId)
        await expect(store.completeUpload(key, uploadId, parts)).rejects.toSatisfy(code('no_such_upload'))
        await expect(store.listParts(key, uploadId)).rejects.toSatisfy(code('no_such_upload'))
        expect(await store.head(key)).toBeNull()
        expect(await putPart(await store.signPart(key, uploadId, partOf(4), 60), Buffer.from('late'))).toBe(404)
      })

      it('does not find an upload under another key', async () => {
        const key = newKey()
        const { uploadId, parts } = await small(key)
        const other = newKey()
        await expect(store.completeUpload(other, uploadId, parts)).rejects.toSatisfy(code('no_such_upload'))
        await expect(store.listParts(other, uploadId)).rejects.toSatisfy(code('no_such_upload'))
        await store.abortUpload(other, uploadId)
        expect(await store.listParts(key, uploadId)).toHaveLength(1)
        await store.abortUpload(key, uploadId)
      })

      it('is not changed by a part URL that outlives completion', async () => {
        const key = newKey()
        const { uploadId, parts } = await small(key)
        const url = await store.signPart(key, uploadId, partOf(5), 60)
        await store.completeUpload(key, uploadId, parts)
        expect(await putPart(url, Buffer.from('evil!'))).toBe(404)
        expect((await bytesAt(key)).toString()).toBe('hello')
      })

      it('is not changed by a PUT in progress during completion', async () => {
        const key = newKey()
        const { uploadId, parts } = await small(key)
        const url = await store.signPart(key, uploadId, partOf(5), 60)
        const gate = Promise.withResolvers<void>()
        const slow = async function* () {
          yield Buffer.from('ev')
          await gate.promise
          yield Buffer.from('il!')
        }
        const request: RequestInit & { duplex: 'half' } = {
          method: 'PUT',
          body: Readable.toWeb(Readable.from(slow(), { objectMode: false })) as ReadableStream,
          headers: { 'content-length': '5' },
          duplex: 'half',
        }
        const late = fetch(url, request).then(
          async (answer) => void (await answer.arrayBuffer()),
          () => undefined,
        )
        await store.completeUpload(key, uploadId, parts)
        gate.resolve()
        await late
        expect((await bytesAt(key)).toString()).toBe('hello')
      })

      it('creates one complete object from concurrent completions', async () => {
        const key = newKey()
        const pieces = [randomBytes(PART_BYTES), randomBytes(10)]
        const { uploadId, parts } = await upload(key, [1, 2], (n) => pieces[n - 1] as Buffer)
        const attempts = await Promise.allSettled(
          Array.from({ length: 4 }, () => store.completeUpload(key, uploadId, parts)),
        )
        expect(attempts.some((attempt) => attempt.status === 'fulfilled')).toBe(true)
        for (const attempt of attempts) {
          if (attempt.status === 'rejected') expect(attempt.reason).toSatisfy(code('no_such_upload'))
        }
        expect((await bytesAt(key)).equals(Buffer.concat(pieces))).toBe(true)
      })

      it('lists only uploads in progress', async () => {
        const [open, done, aborted] = [newKey(), newKey(), newKey()]
        const first = await small(open)
        const second = await small(done)
        const third = await small(aborted)
        await store.completeUpload(done, second.uploadId, second.parts)
        await store.abortUpload(aborted, third.uploadId)
        const listed = await collect(store.listUploads(new Date(Date.now() + 60_000)))
        const ours = listed.filter((upload) => [open, done, aborted].includes(upload.key))
        expect(ours).toEqual([{ key: open, uploadId: first.uploadId, startedAt: expect.any(Date) }])
        expect(Math.abs((ours[0]?.startedAt.getTime() ?? 0) - Date.now())).toBeLessThan(60_000)
        const early = await collect(store.listUploads(new Date(Date.now() - 3_600_000)))
        expect(early.map((upload) => upload.uploadId)).not.toContain(first.uploadId)
        await store.abortUpload(open, first.uploadId)
      })
    })

    describe('objects', () => {
      it.each([
        ['memory', (bytes: Buffer) => bytes],
        ['a stream', (bytes: Buffer) => Readable.from([bytes.subarray(0, 100), bytes.subarray(100)])],
      ])('puts from %s, and over a former object', async (_from, body) => {
        const key = newKey()
        await store.put(key, Buffer.from('former'), { sizeBytes: 6 })
        const bytes = randomBytes(70_000)
        const head = await store.put(key, body(bytes), { sizeBytes: 70_000, contentType: 'text/plain' })
        expect(head).toEqual({ sizeBytes: 70_000, etag: md5(bytes) })
        expect(await store.head(key)).toEqual(head)
        expect((await bytesAt(key)).equals(bytes)).toBe(true)
      })

      it('stores an empty object', async () => {
        const key = newKey()
        expect(await store.put(key, new Uint8Array(0), { sizeBytes: 0 })).toEqual({
          sizeBytes: 0,
          etag: md5(new Uint8Array(0)),
        })
        expect(await bytesAt(key)).toHaveLength(0)
      })

      it.each([4, 6])('rejects a stream of 5 bytes that was announced as %i', async (sizeBytes) => {
        const key = newKey()
        await expect(store.put(key, Readable.from([Buffer.from('hello')]), { sizeBytes })).rejects.toBeInstanceOf(
          ObjectStoreError,
        )
        expect(await store.head(key)).toBeNull()
      })

      it('reads ranges', async () => {
        const key = newKey()
        const pieces = [randomBytes(PART_BYTES), randomBytes(1000)]
        const whole = Buffer.concat(pieces)
        const { uploadId, parts } = await upload(key, [1, 2], (n) => pieces[n - 1] as Buffer)
        await store.completeUpload(key, uploadId, parts)
        const ranges = [
          { start: 0, end: 0 },
          { start: PART_BYTES - 3, end: PART_BYTES + 2 },
          { start: PART_BYTES },
          { start: 10, end: 10 ** 9 },
        ]
        for (const range of ranges) {
          const { body, head } = await store.get(key, { range })
          expect(head.sizeBytes).toBe(whole.byteLength)
          expect((await buffer(body)).equals(whole.subarray(range.start, (range.end ?? whole.byteLength) + 1))).toBe(
            true,
          )
        }
        await expect(store.get(key, { range: { start: whole.byteLength } })).rejects.toSatisfy(code('invalid_range'))
      })

      it('distinguishes an absent object from a present one', async () => {
        const key = newKey()
        expect(await store.head(key)).toBeNull()
        await expect(store.get(key)).rejects.toSatisfy(code('no_such_object'))
        await expect(store.copy(key, newKey())).rejects.toSatisfy(code('no_such_object'))
      })

      it('copies, and the copy outlives the original', async () => {
        const [from, to] = [newKey(), newKey()]
        const bytes = randomBytes(PART_BYTES + 7)
        const { uploadId, parts } = await upload(from, [1, 2], (n) =>
          n === 1 ? bytes.subarray(0, PART_BYTES) : bytes.subarray(PART_BYTES),
        )
        await store.completeUpload(from, uploadId, parts)
        const head = await store.copy(from, to)
        expect(head.sizeBytes).toBe(bytes.byteLength)
        expect(await store.head(to)).toEqual(head)
        await store.delete([from])
        expect((await bytesAt(to)).equals(bytes)).toBe(true)
      })

      it('deletes existing and missing objects', async () => {
        const [one, other] = [newKey(), newKey()]
        await store.put(one, Buffer.from('1'), { sizeBytes: 1 })
        await store.delete([one, other])
        await store.delete([one, other])
        await store.delete([])
        expect(await store.head(one)).toBeNull()
      })

      itInTorture('lists and deletes more than one page of keys', async () => {
        const prefix = `${newKey()}/many`
        const keys = Array.from({ length: 1005 }, (_, index) => `${prefix}/${String(index).padStart(5, '0')}`)
        for (let start = 0; start < keys.length; start += 32) {
          await Promise.all(
            keys.slice(start, start + 32).map((key) => store.put(key, Buffer.from('x'), { sizeBytes: 1 })),
          )
        }
        await store.put(`${prefix}-beside`, Buffer.from('x'), { sizeBytes: 1 })
        expect(await collect(store.list(`${prefix}/`))).toEqual(keys.map((key) => ({ key, sizeBytes: 1 })))
        expect(await collect(store.list(`${prefix}/0000`))).toHaveLength(10)
        expect(await collect(store.list(`${prefix}-`))).toHaveLength(1)
        await store.delete(keys)
        expect(await collect(store.list(`${prefix}/`))).toEqual([])
      })

      it('keeps an object apart from the objects under its name', async () => {
        const key = newKey()
        await store.put(`${key}/inner`, Buffer.from('in'), { sizeBytes: 2 })
        await store.put(key, Buffer.from('out'), { sizeBytes: 3 })
        expect((await collect(store.list(key))).map((object) => object.key)).toEqual([key, `${key}/inner`])
        await store.delete([key])
        expect((await bytesAt(`${key}/inner`)).toString()).toBe('in')
      })

      it('stops a read when its signal aborts', async () => {
        const key = newKey()
        await store.put(key, randomBytes(PART_BYTES), { sizeBytes: PART_BYTES })
        const stop = new AbortController()
        const { body } = await store.get(key, { signal: stop.signal })
        stop.abort()
        await expect(buffer(body)).rejects.toThrow()
      })

      it('outlives an abort that comes before anybody reads: its reader gets the reason', async () => {
        const key = newKey()
        await store.put(key, randomBytes(PART_BYTES), { sizeBytes: PART_BYTES })
        const stop = new AbortController()
        const { body } = await store.get(key, { signal: stop.signal })
        stop.abort()
        // An 'error' event without a listener would end the process here.
        await turn()
        await expect(buffer(body)).rejects.toThrow()
      })

      it('outlives an abort before and while it stores, and keeps nothing', async () => {
        const [before, during] = [newKey(), newKey()]
        await expect(
          store.put(before, Buffer.from('x'), { sizeBytes: 1, signal: AbortSignal.abort() }),
        ).rejects.toThrow()
        const stop = new AbortController()
        const storing = store.put(during, Buffer.from('x'), { sizeBytes: 1, signal: stop.signal })
        stop.abort()
        await expect(storing).rejects.toThrow()
        await turn()
        expect([await store.head(before), await store.head(during)]).toEqual([null, null])
      })
    })

    describeOnce('signed URLs', () => {
      it('serves an object in full and in ranges', async () => {
        const key = newKey()
        await store.put(key, Buffer.from('0123456789'), { sizeBytes: 10, contentType: 'text/plain' })
        const url = await store.signGet(key, { ttlSeconds: 60, contentType: 'application/x-mine' })
        const whole = await fetch(url)
        expect([whole.status, whole.headers.get('content-type'), await whole.text()]).toEqual([
          200,
          'application/x-mine',
          '0123456789',
        ])
        expect(whole.headers.get('etag')).toBe(`"${md5(Buffer.from('0123456789'))}"`)
        const cases: Array<[string, number, string | null]> = [
          ['bytes=2-4', 206, '234'],
          ['bytes=8-', 206, '89'],
          ['bytes=-3', 206, '789'],
          ['bytes=5-99', 206, '56789'],
          ['bytes=10-', 416, null],
        ]
        for (const [range, status, text] of cases) {
          const answer = await fetch(url, { headers: { range } })
          const body = await answer.text()
          expect([range, answer.status, text === null ? null : body]).toEqual([range, status, text])
        }
      })

      it('names a download, whatever its name', async () => {
        const key = newKey()
        await store.put(key, Buffer.from('x'), { sizeBytes: 1 })
        const url = await store.signGet(key, { ttlSeconds: 60, downloadName: 'Größe "1" – 机器人 (a\'b)*%.xml' })
        const answer = await fetch(url)
        expect(answer.status).toBe(200)
        expect(answer.headers.get('content-disposition')).toBe(
          'attachment; filename="Gr__e _1_ _ ___ (a\'b)*_.xml"; ' +
            "filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%221%22%20%E2%80%93%20%E6%9C%BA%E5%99%A8%E4%BA%BA%20%28a%27b%29%2A%25.xml",
        )
      })

      it('rejects an altered URL and one without a signature', async () => {
        const key = newKey()
        const other = newKey()
        await store.put(key, Buffer.from('x'), { sizeBytes: 1 })
        await store.put(other, Buffer.from('secret'), { sizeBytes: 6 })
        const { uploadId } = await small(newKey())
        const getUrl = await store.signGet(key, { ttlSeconds: 60 })
        const putUrl = await store.signPart(key, uploadId, partOf(5), 60)
        const altered = [getUrl.replace(`${key}?`, `${other}?`), `${getUrl}0`, getUrl.split('?')[0] as string]
        for (const url of altered) expect([url, (await fetch(url)).status]).toEqual([url, 403])
        expect(await putPart(getUrl, Buffer.from('x'))).toBe(403)
        expect(await putPart(putUrl.replace(/(part(?:Number)?)=1\b/, '$1=2'), Buffer.from('x'))).toBe(403)
        expect((await bytesAt(key)).toString()).toBe('x')
      })

      it('rejects an expired URL', async () => {
        const key = newKey()
        await store.put(key, Buffer.from('x'), { sizeBytes: 1 })
        const url = await store.signGet(key, { ttlSeconds: 1 })
        await expect.poll(async () => (await fetch(url)).status, { timeout: 100_000, interval: 200 }).toBe(403)
      })
    })
  })
}
