/** Parts that are sent slowly: what they hold, in memory and of what all senders share. */
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { writeNewFile } from '../../../src/store/objects/disk-write.ts'
import { partWriters } from '../../../src/store/objects/disk-writers.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(inject('runDir'), 'parts-'))
})
afterAll(() => rm(dir, { recursive: true }))

const KIB = 1024

describe('a part that comes slowly', () => {
  it('is on the disk up to its last bytes, and not in memory', async () => {
    const path = join(dir, 'part')
    const rest = Promise.withResolvers<void>()
    async function* slow() {
      yield Buffer.alloc(100 * KIB, 'a')
      yield Buffer.alloc(100 * KIB, 'b')
      await rest.promise
      yield Buffer.alloc(KIB, 'c')
    }
    const spent: number[] = []
    const written = writeNewFile(path, slow(), { sizeBytes: 201 * KIB, spent: (chunk) => spent.push(chunk.byteLength) })
    await expect.poll(() => spent).toEqual([100 * KIB, 100 * KIB])
    expect((await stat(path)).size).toBe(200 * KIB)
    rest.resolve()
    expect(await written).toEqual({ md5: '4c1ee2fca697bc4ca2d177c9aad11cd9', sizeBytes: 201 * KIB })
    expect(spent).toEqual([100 * KIB, 100 * KIB, KIB])
  })
})

describe('parts that are there already', () => {
  const never = () => new Promise<never>(() => undefined)
  const replacement = (sender: string) => ({ uploadId: `of-${sender}`, replaces: true, sender })
  const busy = expect.objectContaining({ code: 'busy' })

  it('are replaced by one sender in half of the places, so that others have some', async () => {
    const writers = partWriters()
    const begin = (sender: string) => void writers.run(replacement(sender), never)
    for (let at = 0; at < 8; at += 1) begin('slow')
    await expect(writers.run(replacement('slow'), async () => 1)).rejects.toEqual(busy)
    expect(await writers.run(replacement('other'), async () => 1)).toBe(1)
    expect(await writers.run({ ...replacement('slow'), replaces: false }, async () => 1)).toBe(1)
    for (let at = 0; at < 8; at += 1) begin('other')
    await expect(writers.run(replacement('third'), async () => 1)).rejects.toEqual(busy)
  })
})
