/** Whose processor time calls of the object store are. */
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type TimeUser, timedFor } from '../../../src/platform/processor-time.ts'
import type { ObjectStore } from '../../../src/store/objects/object-store.ts'
import { paidChunks } from '../../../src/store/objects/paid-calls.ts'
import { watchedStore } from '../../../src/store/objects/watched-store.ts'

/** The processor time of this thread goes on when something burns it, and else stands still. */
const processor = { usedMs: 0 }
const burn = (ms: number) => {
  processor.usedMs += ms
}
beforeAll(() => {
  vi.spyOn(process, 'threadCpuUsage').mockImplementation(() => ({ user: processor.usedMs * 1000, system: 0 }))
})
afterAll(() => vi.mocked(process.threadCpuUsage).mockRestore())

class Used implements TimeUser {
  ms = 0
  addTime(ms: number): void {
    this.ms += ms
  }
}

const head = { sizeBytes: 1, etag: 'e' }
const store = watchedStore({
  put: () => delay(1, head),
  delete: async () => void (await delay(1)),
  get: async () => ({ head, body: Readable.from([Buffer.from('a'), Buffer.from('b')]) }),
} as Partial<ObjectStore> as ObjectStore)
const put = () => store.put('key', Buffer.from('a'), { sizeBytes: 1 })

describe('a call of the object store', () => {
  it('has its own time, a deletion that of each object', async () => {
    const used = new Used()
    await timedFor(used, async () => {
      for (let at = 0; at < 10; at += 1) await put()
      expect(used.ms).toBeCloseTo(2.5)
      await store.delete(Array.from({ length: 90 }, (_, at) => `key-${at}`))
    })
    expect(used.ms).toBeCloseTo(11.5)
  })

  it('is followed by work of who made it, also where it fails', async () => {
    const used = new Used()
    const gone = () => delay(1).then(() => Promise.reject(new Error('gone')))
    const failing = watchedStore({ ...store, head: gone } as ObjectStore)
    await timedFor(used, async () => {
      await put()
      burn(50)
      await delay(1)
      burn(1000)
      await failing.head('key').catch(() => burn(7))
    })
    await delay(1)
    expect(used.ms).toBeCloseTo(57.35)
  })

  it('leaves the work on each chunk to its reader', async () => {
    const used = new Used()
    await timedFor(used, async () => {
      const { body } = await store.get('key')
      await delay(1)
      for await (const chunk of paidChunks(body)) burn(chunk.length * 30)
    })
    await delay(1)
    expect(used.ms).toBeCloseTo(60.1)
  })

  it('is paid by whom its user names, or by nobody', async () => {
    const caller = new Used()
    for (const payer of [caller, null]) {
      const operation = Object.assign(new Used(), { payer })
      await timedFor(operation, async () => {
        await put()
        burn(50)
      })
      await delay(1)
      expect(operation.ms).toBe(0)
    }
    expect(caller.ms).toBeCloseTo(50.25)
    await expect(put()).resolves.toEqual(head)
  })
})
