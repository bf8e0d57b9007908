/** Frames of LZ4: those of its own command, and what is none of its. */
import { describe, expect, it } from 'vitest'
import { unpackLz4 } from '../src/mcap/lz4.ts'

const words = Array.from({ length: 400 }, (_, at) => `joint_${at % 7} `).join('')
const numbers = Array.from({ length: 300 }, (_, at) => (at * at) % 251)
/** Copies that overlap what they make, bytes without a copy, and one byte again and again. */
const plain = new Uint8Array([...Buffer.from(words), ...numbers, ...new Uint8Array(2000).fill(97)])

/** What `lz4 -c` makes of these bytes. */
const command = Buffer.from(
  'BCJNGGRAp0UBAACCam9pbnRfMCAIABMxCAATMggAEzMIABM0CAATNQgAEzYIAA84AP///////////////zv/7AABBAkQGSQxQFFkeZCpxOEFJklulb7pG0p7ruMfWJPQFFWY3SlyvQ9erwdcsxFsyS2O8VvCMJsNfO1l2lbPT8xQ0VneavODFaQ6zWcDnDzZfSPGcBzFdSfWjET5tXMz8LR6QgzToXFDF+jAmnZUNBb128OtmYd3aV1TS0VBPz9BRUtTXWl3h5mtw9v1FjRUdprA6BdDcaHTDEJ6tPAzc7X5RIzWJ3XFHHDGI33ZPJwDZ806pBWD82reWdFQzE/PVtpl7XwNmzDCW/GOLclsEbNcB69eD71yKd2YVRTQk1gf4657ShvpvpVuSSYF4cSpkHlkUUAxJBkQCQQB+wAeH2EBAP////////++UGFhYWFhAAAAAK2lcoY=',
  'base64',
)
const word = (value: number) => Uint8Array.of(value, value >>> 8, value >>> 16, value >>> 24)
const joined = (...parts: readonly (Uint8Array | readonly number[])[]) =>
  Uint8Array.from(parts.flatMap((one) => [...one]))
const MARK = [0x04, 0x22, 0x4d, 0x18]
const frame = (flags: number, ...rest: readonly (Uint8Array | readonly number[])[]) =>
  joined(MARK, [flags, 0x40], flags & 8 ? new Uint8Array(8) : [], [0], ...rest)
/** Its one block: between the head of the frame, with the length, and the end with a sum. */
const packed = command.subarray(11, -8)
const stored = (bytes: Uint8Array) => joined(word((bytes.length | 0x8000_0000) >>> 0), bytes)
const END = word(0)
/** What each frame that is refused should have. */
const SIZE = 100
const made = (...bytes: number[]) => frame(0x60, word(bytes.length), bytes, END)

describe('a frame of LZ4', () => {
  it.each([
    ['of its command', command],
    ['with a sum of each block', frame(0x70, word(packed.length), packed, word(1), END)],
    ['that says its size', frame(0x6c, word(packed.length), packed, END, word(1))],
    ['whose bytes are as they were', frame(0x60, stored(plain), END)],
    [
      'in two frames, with one to be skipped between',
      joined(
        frame(0x60, stored(plain.slice(0, 100)), END),
        [0x53, 0x2a, 0x4d, 0x18],
        word(3),
        [1, 2, 3],
        frame(0x60, stored(plain.slice(100)), END),
      ),
    ],
  ])('%s has what was compressed', (_, bytes) => {
    expect(unpackLz4(bytes, plain.length)).toEqual(plain)
  })

  it.each([
    ['another mark', [1, 2, 3, 4], 'a frame does not start with its mark'],
    ['a cut', frame(0x60, word(packed.length), packed.subarray(0, 50)), 'it was cut'],
    ['no end', frame(0x60, stored(plain.slice(0, SIZE))), 'it was cut'],
    ['another version', frame(0x20, END), 'its version is not 1'],
    ['a dictionary', frame(0x61, END), 'it needs a dictionary'],
    ['more than it should have', frame(0x60, stored(plain.slice(0, SIZE + 1)), END), `it has more than ${SIZE} bytes`],
    [
      'less than it should have',
      frame(0x60, stored(plain.slice(1, SIZE)), END),
      `it has ${SIZE - 1} bytes and not ${SIZE}`,
    ],
    ['a copy of what is before its start', made(0x10, 1, 2, 0), 'it copies what is before its start'],
    ['a copy of nothing', made(0x10, 1, 0, 0), 'it copies what is before its start'],
    ['a copy that is too long', made(0x1f, 1, 1, 0, 255, 255, 0), `it has more than ${SIZE} bytes`],
    ['bytes that are not there', made(0xf0, 255, 255, 0), 'it was cut'],
    ['a length without an end', made(0xf0, 255, 255), 'it was cut'],
    ['a copy without a place', made(0x10, 1, 2), 'it was cut'],
  ])('with %s is refused in words', (_, bytes, why) => {
    expect(() => unpackLz4(Uint8Array.from(bytes), SIZE)).toThrow(`its LZ4 is broken: ${why}`)
  })

  it('needs no memory for a size that its bytes cannot have', () => {
    expect(() => unpackLz4(new Uint8Array(100), 100 * 255 + 1)).toThrow('100 bytes cannot become 25501')
  })

  it('with any one byte changed is read or refused in words', () => {
    const whole = frame(0x60, word(packed.length), packed, END)
    const outcomes = Array.from(whole, (_, at) => {
      try {
        return unpackLz4(whole.with(at, (whole[at] ?? 0) ^ 0xff), plain.length).length
      } catch (error) {
        return String(error)
      }
    })
    expect(outcomes.filter((one) => one !== plain.length && !/^Error: its LZ4 is broken: /.test(String(one)))).toEqual(
      [],
    )
  })
})
