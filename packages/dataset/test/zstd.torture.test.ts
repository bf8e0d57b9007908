/** Zstandard of a length that is known: what Node's own compressor writes, and lengths that are lies. */
import { constants, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { unpackZstd } from '../src/zstd.ts'

/** The same for each run: words that repeat, and bytes that hardly do. */
function bytesOf(length: number, isDense: boolean): Uint8Array {
  let seed = 7
  return Uint8Array.from({ length }, (_, at) => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fff_ffff
    return isDense ? seed >> 16 : 'joint_1 joint_2 '.charCodeAt((at + (seed >> 29)) % 16)
  })
}
const { ZSTD_c_checksumFlag, ZSTD_c_contentSizeFlag, ZSTD_c_windowLog } = constants
const packed = (bytes: Uint8Array, params: Record<number, number> = {}) => zstdCompressSync(bytes, { params })

const SIZES = [0, 1, 100, 255, 256, 70_000, 131_072, 131_073, 600_000]
const kinds = [
  ['as it is', {}],
  ['with a sum', { [ZSTD_c_checksumFlag]: 1 }],
  ['without its length', { [ZSTD_c_contentSizeFlag]: 0 }],
  ['in a small window', { [ZSTD_c_contentSizeFlag]: 0, [ZSTD_c_windowLog]: 10 }],
] as const
const skipped = Uint8Array.of(0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3)

describe('zstd', () => {
  it.each(kinds)('%s has what was compressed, and no other length', (_, params) => {
    for (const size of SIZES)
      for (const isDense of [true, false]) {
        const plain = bytesOf(size, isDense)
        const made = packed(plain, params)
        expect(Buffer.from(unpackZstd(made, size)).equals(plain)).toBe(true)
        for (const other of [size - 1, size + 1, size + 16, size + 100, Math.floor(size / 2) - 1])
          if (other >= 0) expect(() => unpackZstd(made, other), `${size} as ${other}`).toThrow('its zstd is broken: ')
      }
  })

  it('of the same byte again and again is unpacked', () => {
    expect(unpackZstd(packed(new Uint8Array(400_000).fill(9)), 400_000).every((byte) => byte === 9)).toBe(true)
  })

  it('in several frames, with one to be skipped between, is unpacked', () => {
    const [one, two] = [bytesOf(70_000, false), bytesOf(300, true)]
    const last = packed(two, { [ZSTD_c_contentSizeFlag]: 0 })
    const made = Buffer.concat([packed(one), skipped, last])
    expect(Buffer.from(unpackZstd(made, 70_300)).equals(Buffer.concat([one, two]))).toBe(true)
    expect(() => unpackZstd(made, 70_299)).toThrow('its zstd is broken: it does not have 70299 bytes')
    expect(() => unpackZstd(Buffer.concat([last, packed(one)]), 70_300)).toThrow('a frame does not say its length')
    expect(() => unpackZstd(Buffer.concat([packed(one), packed(one)]), 70_001)).toThrow(
      'it has 140000 bytes and not 70001',
    )
  })

  it('that says another length than it has is refused', () => {
    const made = packed(bytesOf(200, true))
    // One segment, its length in one byte.
    expect([made[4], made[5]]).toEqual([0x20, 200])
    const lie = Uint8Array.from(made).with(5, 210)
    expect(() => unpackZstd(lie, 210)).toThrow('its zstd is broken: it does not have 210 bytes')
    expect(() => unpackZstd(lie, 200)).toThrow('its zstd is broken: it has 210 bytes and not 200')
  })

  it.each([
    ['other bytes', bytesOf(50, true), 'a frame does not start with its mark'],
    ['a cut', packed(bytesOf(5000, true)).subarray(0, -10), 'it was cut'],
    ['a head alone', packed(bytesOf(5000, true)).subarray(0, 8), 'it was cut'],
    ['a skipped frame that is longer than all', skipped.with(4, 9), 'it was cut'],
    ['nothing', new Uint8Array(), '0 bytes cannot become 100'],
  ])('with %s is refused in words', (_, bytes, why) => {
    expect(() => unpackZstd(bytes, 100)).toThrow(`its zstd is broken: ${why}`)
  })

  it('needs no memory for a length that its bytes cannot have', () => {
    expect(() => unpackZstd(new Uint8Array(100), 100 * 32 * 1024 + 1)).toThrow('100 bytes cannot become 3276801')
  })

  it('with any one byte changed is read or refused in words', () => {
    const plain = bytesOf(3000, false)
    const whole = Uint8Array.from(packed(plain))
    const outcomes = Array.from(whole, (byte, at) =>
      [0x01, 0x80, 0xff].map((bits) => {
        try {
          return unpackZstd(whole.with(at, byte ^ bits), plain.length).length
        } catch (error) {
          return String(error)
        }
      }),
    ).flat()
    expect(outcomes.filter((one) => one !== plain.length && !/^Error: its zstd is broken: /.test(String(one)))).toEqual(
      [],
    )
    expect(outcomes.some((one) => one !== plain.length)).toBe(true)
  })
})
