/** The archives of a push, packed into memory that is used again. */
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { contentsPacker, type Packed } from '../src/pack-contents.ts'

const named = (bytes: Buffer, at: number): Packed => ({ sha256: String(at).padStart(64, '0'), bytes })
const some = (...sizes: readonly number[]) => sizes.map((size, at) => named(randomBytes(size), at))

describe('an archive of contents', () => {
  it('is the same in memory that another one has left, whole blocks and not', () => {
    const [large, small] = [some(3000, 512, 1, 70_000), some(511, 0, 513, 1024)]
    const packer = contentsPacker()
    const first = packer.pack(large)
    const memory = first.buffer
    packer.free(first)
    const second = packer.pack(small)
    expect(second.buffer).toBe(memory)
    expect(Buffer.compare(second, contentsPacker().pack(small))).toBe(0)
  })

  it('has memory of its own while another one is not done with, or where that is too small', () => {
    const packer = contentsPacker()
    const [one, two] = [packer.pack(some(10)), packer.pack(some(10))]
    expect(two.buffer).not.toBe(one.buffer)
    packer.free(one)
    const larger = packer.pack(some(2 * 1_048_576))
    expect(larger.buffer).not.toBe(one.buffer)
    expect(packer.pack(some(10)).buffer).toBe(one.buffer)
  })
})
