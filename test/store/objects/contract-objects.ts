/** What every object store must do with whole objects. */
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import { itInTorture } from '@hub/testing/torture'
import { describe, expect, it } from 'vitest'
import { ObjectStoreError } from '../../../src/store/objects/object-store.ts'
import { code, collect, md5, type OpenedStore, PART_BYTES } from './opened-store.ts'

export function objectsContract(at: OpenedStore): void {
  const { newKey, upload, bytesAt } = at

  describe('objects', () => {
    it.each([
      ['memory', (bytes: Buffer) => bytes],
      ['a stream', (bytes: Buffer) => Readable.from([bytes.subarray(0, 100), bytes.subarray(100)])],
    ])('puts from %s, and over a former object', async (_from, body) => {
      const key = newKey()
      await at.store.put(key, Buffer.from('former'), { sizeBytes: 6 })
      const bytes = randomBytes(70_000)
      const head = await at.store.put(key, body(bytes), { sizeBytes: 70_000, contentType: 'text/plain' })
      expect(head).toEqual({ sizeBytes: 70_000, etag: md5(bytes) })
      expect(await at.store.head(key)).toEqual(head)
      expect((await bytesAt(key)).equals(bytes)).toBe(true)
    })

    it('stores an empty object', async () => {
      const key = newKey()
      expect(await at.store.put(key, new Uint8Array(0), { sizeBytes: 0 })).toEqual({
        sizeBytes: 0,
        etag: md5(new Uint8Array(0)),
      })
      expect(await bytesAt(key)).toHaveLength(0)
    })

    it.each([4, 6])('rejects a stream of 5 bytes that was announced as %i', async (sizeBytes) => {
      const key = newKey()
      await expect(at.store.put(key, Readable.from([Buffer.from('hello')]), { sizeBytes })).rejects.toBeInstanceOf(
        ObjectStoreError,
      )
      expect(await at.store.head(key)).toBeNull()
    })

    it('reads ranges', async () => {
      const key = newKey()
      const pieces = [randomBytes(PART_BYTES), randomBytes(1000)]
      const whole = Buffer.concat(pieces)
      const { uploadId, parts } = await upload(key, [1, 2], (n) => pieces[n - 1] as Buffer)
      await at.store.completeUpload(key, uploadId, parts)
      const ranges = [
        { start: 0, end: 0 },
        { start: PART_BYTES - 3, end: PART_BYTES + 2 },
        { start: PART_BYTES },
        { start: 10, end: 10 ** 9 },
      ]
      for (const range of ranges) {
        const { body, head } = await at.store.get(key, { range })
        expect(head.sizeBytes).toBe(whole.byteLength)
        expect((await buffer(body)).equals(whole.subarray(range.start, (range.end ?? whole.byteLength) + 1))).toBe(true)
      }
      await expect(at.store.get(key, { range: { start: whole.byteLength } })).rejects.toSatisfy(code('invalid_range'))
    })

    it('distinguishes an absent object from a present one', async () => {
      const key = newKey()
      expect(await at.store.head(key)).toBeNull()
      await expect(at.store.get(key)).rejects.toSatisfy(code('no_such_object'))
      await expect(at.store.copy(key, newKey())).rejects.toSatisfy(code('no_such_object'))
    })

    it('copies, and the copy outlives the original', async () => {
      const [from, to] = [newKey(), newKey()]
      const bytes = randomBytes(PART_BYTES + 7)
      const { uploadId, parts } = await upload(from, [1, 2], (n) =>
        n === 1 ? bytes.subarray(0, PART_BYTES) : bytes.subarray(PART_BYTES),
      )
      await at.store.completeUpload(from, uploadId, parts)
      const head = await at.store.copy(from, to)
      expect(head.sizeBytes).toBe(bytes.byteLength)
      expect(await at.store.head(to)).toEqual(head)
      await at.store.delete([from])
      expect((await bytesAt(to)).equals(bytes)).toBe(true)
    })

    it('deletes existing and missing objects', async () => {
      const [one, other] = [newKey(), newKey()]
      await at.store.put(one, Buffer.from('1'), { sizeBytes: 1 })
      await at.store.delete([one, other])
      await at.store.delete([one, other])
      await at.store.delete([])
      expect(await at.store.head(one)).toBeNull()
    })

    itInTorture('lists and deletes more than one page of keys', async () => {
      const prefix = `${newKey()}/many`
      const keys = Array.from({ length: 1005 }, (_, index) => `${prefix}/${String(index).padStart(5, '0')}`)
      for (let start = 0; start < keys.length; start += 32) {
        await Promise.all(
          keys.slice(start, start + 32).map((key) => at.store.put(key, Buffer.from('x'), { sizeBytes: 1 })),
        )
      }
      await at.store.put(`${prefix}-beside`, Buffer.from('x'), { sizeBytes: 1 })
      const listed = await collect(at.store.list(`${prefix}/`))
      expect(listed.toSorted((a, b) => (a.key < b.key ? -1 : 1))).toEqual(keys.map((key) => ({ key, sizeBytes: 1 })))
      expect(await collect(at.store.list(`${prefix}/0000`))).toHaveLength(10)
      expect(await collect(at.store.list(`${prefix}-`))).toHaveLength(1)
      await at.store.delete(keys)
      expect(await collect(at.store.list(`${prefix}/`))).toEqual([])
    })

    it('keeps an object apart from the objects under its name', async () => {
      const key = newKey()
      await at.store.put(`${key}/inner`, Buffer.from('in'), { sizeBytes: 2 })
      await at.store.put(key, Buffer.from('out'), { sizeBytes: 3 })
      expect((await collect(at.store.list(key))).map((object) => object.key).toSorted()).toEqual([key, `${key}/inner`])
      await at.store.delete([key])
      expect((await bytesAt(`${key}/inner`)).toString()).toBe('in')
    })

    it('stops a read when its signal aborts', async () => {
      const key = newKey()
      await at.store.put(key, randomBytes(PART_BYTES), { sizeBytes: PART_BYTES })
      const stop = new AbortController()
      const { body } = await at.store.get(key, { signal: stop.signal })
      stop.abort()
      await expect(buffer(body)).rejects.toThrow()
    })

    it('outlives an abort that comes before anyone reads: its reader gets the reason', async () => {
      const key = newKey()
      await at.store.put(key, randomBytes(PART_BYTES), { sizeBytes: PART_BYTES })
      const stop = new AbortController()
      const { body } = await at.store.get(key, { signal: stop.signal })
      stop.abort()
      // An 'error' event without a listener would end the process here.
      await turn()
      await expect(buffer(body)).rejects.toThrow()
    })

    it('outlives an abort before and while it stores, and keeps nothing', async () => {
      const [before, during] = [newKey(), newKey()]
      await expect(
        at.store.put(before, Buffer.from('x'), { sizeBytes: 1, signal: AbortSignal.abort() }),
      ).rejects.toThrow()
      const stop = new AbortController()
      const storing = at.store.put(during, Buffer.from('x'), { sizeBytes: 1, signal: stop.signal })
      stop.abort()
      await expect(storing).rejects.toThrow()
      await turn()
      expect([await at.store.head(before), await at.store.head(during)]).toEqual([null, null])
    })
  })
}
