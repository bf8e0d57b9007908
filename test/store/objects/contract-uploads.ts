/** What every object store must do with uploads in parts. */
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { describeOnce } from '@hub/testing/torture'
import { expect, it } from 'vitest'
import type { StoredPart } from '../../../src/store/objects/object-store.ts'
import { code, collect, md5, type OpenedStore, PART_BYTES, partOf, putPart } from './opened-store.ts'

export function uploadsContract(at: OpenedStore): void {
  const { newKey, upload, small, bytesAt } = at

  describeOnce('multipart uploads', () => {
    it('assembles parts that arrived out of order', async () => {
      const key = newKey()
      const pieces = [randomBytes(PART_BYTES), randomBytes(PART_BYTES), randomBytes(1234)]
      const { uploadId, parts } = await upload(key, [3, 1, 2], (n) => pieces[n - 1] as Buffer)
      expect(await at.store.head(key)).toBeNull()
      expect(await at.store.listParts(key, uploadId)).toEqual(
        pieces.map((piece, index) => ({ partNumber: index + 1, etag: md5(piece), sizeBytes: piece.byteLength })),
      )
      const head = await at.store.completeUpload(key, uploadId, parts)
      expect(head.sizeBytes).toBe(2 * PART_BYTES + 1234)
      expect(head.etag).toMatch(/^[0-9a-f]{32}-3$/)
      expect(await at.store.head(key)).toEqual(head)
      expect((await bytesAt(key)).equals(Buffer.concat(pieces))).toBe(true)
    })

    it('accepts a single short part', async () => {
      const key = newKey()
      const { uploadId, parts } = await small(key)
      const head = await at.store.completeUpload(key, uploadId, parts)
      expect(head).toEqual({ sizeBytes: 5, etag: expect.stringMatching(/-1$/) })
      expect((await bytesAt(key)).toString()).toBe('hello')
    })

    it('accepts an empty file as one empty part', async () => {
      const key = newKey()
      const { uploadId, parts } = await upload(key, [1], () => new Uint8Array(0))
      expect(await at.store.listParts(key, uploadId)).toEqual([
        { partNumber: 1, etag: md5(new Uint8Array(0)), sizeBytes: 0 },
      ])
      expect((await at.store.completeUpload(key, uploadId, parts)).sizeBytes).toBe(0)
      expect(await bytesAt(key)).toHaveLength(0)
    })

    it('replaces a part that is sent again', async () => {
      const key = newKey()
      const { uploadId, parts } = await small(key, 'first')
      const etag = await putPart(await at.store.signPart(key, uploadId, partOf(6), 60), Buffer.from('second'))
      expect(await at.store.listParts(key, uploadId)).toEqual([{ partNumber: 1, etag, sizeBytes: 6 }])
      await expect(at.store.completeUpload(key, uploadId, parts)).rejects.toSatisfy(code('invalid_part'))
      await at.store.completeUpload(key, uploadId, [{ partNumber: 1, etag: String(etag), sizeBytes: 6 }])
      expect((await bytesAt(key)).toString()).toBe('second')
    })

    it.each([
      ['one byte more', 6],
      ['one byte fewer', 4],
      ['nothing', 0],
      ['a mebibyte', 1024 * 1024],
    ])('takes exactly the bytes of a part: %s is refused, and nothing of it is kept', async (_what, length) => {
      const key = newKey()
      const uploadId = await at.store.createUpload(key, {})
      const url = await at.store.signPart(key, uploadId, partOf(5), 60)
      expect(await putPart(url, Buffer.alloc(length, 'x'))).toBeGreaterThanOrEqual(400)
      expect(await at.store.listParts(key, uploadId)).toEqual([])
      const etag = await putPart(url, Buffer.from('hello'))
      expect(await at.store.listParts(key, uploadId)).toEqual([{ partNumber: 1, etag, sizeBytes: 5 }])
      await at.store.abortUpload(key, uploadId)
    })

    it('accepts no other length through a changed part URL', async () => {
      const key = newKey()
      const uploadId = await at.store.createUpload(key, {})
      const url = new URL(await at.store.signPart(key, uploadId, partOf(5), 60))
      if (url.searchParams.has('size')) url.searchParams.set('size', '9')
      else url.searchParams.set('X-Amz-SignedHeaders', 'host')
      expect(await putPart(url.href, Buffer.from('too long!'))).toBe(403)
      expect(await at.store.listParts(key, uploadId)).toEqual([])
      await at.store.abortUpload(key, uploadId)
    })

    it('lists no parts of an upload that has none yet', async () => {
      const key = newKey()
      const uploadId = await at.store.createUpload(key, {})
      expect(await at.store.listParts(key, uploadId)).toEqual([])
      await at.store.abortUpload(key, uploadId)
    })

    it.each<[string, (parts: StoredPart[]) => StoredPart[]]>([
      ['a wrong ETag', (parts) => parts.map((part) => ({ ...part, etag: '0'.repeat(32) }))],
      ['a part never stored', (parts) => [...parts, { partNumber: 2, etag: md5(Buffer.from('hello')), sizeBytes: 5 }]],
      ['a part listed twice', (parts) => [...parts, ...parts]],
      ['an empty list', () => []],
    ])('refuses %s and stays completable', async (_what, spoil) => {
      const key = newKey()
      const { uploadId, parts } = await small(key)
      await expect(at.store.completeUpload(key, uploadId, spoil(parts))).rejects.toSatisfy(code('invalid_part'))
      expect(await at.store.head(key)).toBeNull()
      expect((await at.store.completeUpload(key, uploadId, parts)).sizeBytes).toBe(5)
    })

    it('completes once, and an abort does not delete the object', async () => {
      const key = newKey()
      const { uploadId, parts } = await small(key)
      const head = await at.store.completeUpload(key, uploadId, parts)
      const again = await at.store.completeUpload(key, uploadId, parts).catch((error: unknown) => error)
      expect(again).toSatisfy(
        (answer) => code('no_such_upload')(answer) || JSON.stringify(answer) === JSON.stringify(head),
      )
      await expect(at.store.listParts(key, uploadId)).rejects.toSatisfy(code('no_such_upload'))
      await at.store.abortUpload(key, uploadId)
      expect((await bytesAt(key)).toString()).toBe('hello')
    })

    it('aborts repeatedly and completes nothing afterwards', async () => {
      const key = newKey()
      const { uploadId, parts } = await small(key)
      await at.store.abortUpload(key, uploadId)
      await at.store.abortUpload(key, uploadId)
      await expect(at.store.completeUpload(key, uploadId, parts)).rejects.toSatisfy(code('no_such_upload'))
      await expect(at.store.listParts(key, uploadId)).rejects.toSatisfy(code('no_such_upload'))
      expect(await at.store.head(key)).toBeNull()
      expect(await putPart(await at.store.signPart(key, uploadId, partOf(4), 60), Buffer.from('late'))).toBe(404)
    })

    it('does not find an upload under another key', async () => {
      const key = newKey()
      const { uploadId, parts } = await small(key)
      const other = newKey()
      await expect(at.store.completeUpload(other, uploadId, parts)).rejects.toSatisfy(code('no_such_upload'))
      await expect(at.store.listParts(other, uploadId)).rejects.toSatisfy(code('no_such_upload'))
      await at.store.abortUpload(other, uploadId)
      expect(await at.store.listParts(key, uploadId)).toHaveLength(1)
      await at.store.abortUpload(key, uploadId)
    })

    it('is not changed by a part URL that outlives completion', async () => {
      const key = newKey()
      const { uploadId, parts } = await small(key)
      const url = await at.store.signPart(key, uploadId, partOf(5), 60)
      await at.store.completeUpload(key, uploadId, parts)
      expect(await putPart(url, Buffer.from('evil!'))).toBe(404)
      expect((await bytesAt(key)).toString()).toBe('hello')
    })

    it('is not changed by a PUT in progress during completion', async () => {
      const key = newKey()
      const { uploadId, parts } = await small(key)
      const url = await at.store.signPart(key, uploadId, partOf(5), 60)
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
      await at.store.completeUpload(key, uploadId, parts)
      gate.resolve()
      await late
      expect((await bytesAt(key)).toString()).toBe('hello')
    })

    it('creates one complete object from concurrent completions', async () => {
      const key = newKey()
      const pieces = [randomBytes(PART_BYTES), randomBytes(10)]
      const { uploadId, parts } = await upload(key, [1, 2], (n) => pieces[n - 1] as Buffer)
      const attempts = await Promise.allSettled(
        Array.from({ length: 4 }, () => at.store.completeUpload(key, uploadId, parts)),
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
      await at.store.completeUpload(done, second.uploadId, second.parts)
      await at.store.abortUpload(aborted, third.uploadId)
      const listed = await collect(at.store.listUploads(new Date(Date.now() + 60_000)))
      const ours = listed.filter((upload) => [open, done, aborted].includes(upload.key))
      expect(ours).toEqual([{ key: open, uploadId: first.uploadId, startedAt: expect.any(Date) }])
      expect(Math.abs((ours[0]?.startedAt.getTime() ?? 0) - Date.now())).toBeLessThan(60_000)
      const early = await collect(at.store.listUploads(new Date(Date.now() - 3_600_000)))
      expect(early.map((upload) => upload.uploadId)).not.toContain(first.uploadId)
      await at.store.abortUpload(open, first.uploadId)
    })
  })
}
