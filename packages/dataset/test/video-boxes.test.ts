/** Videos whose few bytes claim frames without end, and ones of boxes without end. */
import { describe, expect, it } from 'vitest'
import { readVideo } from '../src/check/video.ts'
import { madeVideo } from './support/made-video.ts'

function fileOf(bytes: Uint8Array) {
  const asked: [number, number][] = []
  return {
    ...{ asked, path: 'a.mp4', sizeBytes: bytes.length },
    read: (start: number, end: number) => {
      asked.push([start, end])
      return Promise.resolve(new Uint8Array(bytes.subarray(start, end)).buffer)
    },
  }
}
const made = (isFast = false) => Buffer.from(madeVideo(50, 10, isFast))
const read = (bytes: Uint8Array) => readVideo(fileOf(bytes))
const emptyBox = Buffer.from('0000000866726565', 'hex')

describe('a video', () => {
  it.each([true, false])('has its frames, its list before them: %s', async (isFast) => {
    const video = await read(made(isFast))
    expect('times' in video && video.times).toHaveLength(50)
  })

  it('has its list read once where that stands behind the frames', async () => {
    // Frames of more than a part of a reading.
    const bytes = Buffer.from(madeVideo(30_000, 10))
    const file = fileOf(bytes)
    expect(await readVideo(file)).toMatchObject({ codec: expect.stringContaining('avc1') })
    const [list, end] = [bytes.lastIndexOf('moov') - 4, bytes.length]
    // Heads of the boxes are read before it, and of the frames nothing.
    expect(file.asked.filter(([from, to]) => to - from > 16)).toEqual([[list, end]])
  })

  it.each([400_000_000, 4_294_967_295, 1000])('of %i frames that it cannot hold is told so', async (frames) => {
    const bytes = made()
    bytes.writeUInt32BE(frames, bytes.lastIndexOf('stsz') + 12)
    expect(await read(bytes)).toEqual({ why: `its ${frames} frames of 24 bytes are not in the file` })
  })

  describe('in fragments', () => {
    const numbers = (...values: number[]) => {
      const bytes = Buffer.alloc(4 * values.length)
      for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at)
      return bytes
    }
    const box = (name: string, ...inside: Buffer[]) =>
      Buffer.concat([numbers(8 + Buffer.concat(inside).length), Buffer.from(name), ...inside])
    const fragment = (...runs: Buffer[]) =>
      box('moof', box('mfhd', numbers(0, 1)), box('traf', box('tfhd', numbers(0, 1)), ...runs))
    /** Between the list of frames and the frames, so many bytes behind the start. */
    const withFragment = (moof: Buffer, startsAt = 0) => {
      const [bytes, type] = [made(), made().readUInt32BE(0)]
      const filler = startsAt === 0 ? [] : [box('free', Buffer.alloc(startsAt - type - 8))]
      return Buffer.concat([bytes.subarray(0, type), ...filler, moof, bytes.subarray(type)])
    }

    it.each([
      ['one run', [box('trun', numbers(0, 400_000_000))], 400_000_000],
      ['a run with the place of its bytes', [box('trun', numbers(1, 400_000_000, 0))], 400_000_000],
      ['many runs', Array.from({ length: 20 }, () => box('trun', numbers(5, 200, 0, 0))), 4000],
    ])('that claims frames by %s is told so', async (_what, runs, frames) => {
      const why = `its ${frames} frames of 1 bytes are not in the file`
      expect(await read(withFragment(fragment(...runs)))).toEqual({ why })
    })

    it('is told so where the run is in two parts of its reading', async () => {
      const moof = fragment(box('trun', numbers(0, 400_000_000)))
      for (const back of [12, 8, 1]) {
        const bytes = withFragment(moof, 512 * 1024 - moof.length + back)
        const why = expect.stringMatching(/not in the file|is not one/)
        expect([back, await read(bytes)]).toEqual([back, { why }])
      }
    })

    it('is read in parts, each of them once, wherever a box ends', async () => {
      for (const back of [30, 1]) {
        const moof = fragment(box('trun', numbers(0x200, 1, 24)))
        const file = fileOf(withFragment(moof, 512 * 1024 - moof.length + back))
        await readVideo(file)
        expect(file.asked.filter(([from, to]) => to - from > 16).length).toBeLessThan(5)
      }
    })

    it('that tells of each frame is not refused for that', async () => {
      const moof = fragment(box('trun', numbers(0x200, 3, 24, 24, 24)))
      const video = await read(withFragment(moof))
      expect(JSON.stringify(video)).not.toContain('bytes are not in the file')
    })
  })

  it('of very many boxes is told so after the first of them', async () => {
    const file = fileOf(Buffer.concat([made(), ...Array.from({ length: 100_000 }, () => emptyBox)]))
    expect(await readVideo(file)).toEqual({ why: 'it has more than 100000 boxes' })
    expect(file.asked).toHaveLength(100_000)
  })

  it('whose last box goes to its end is read', async () => {
    const bytes = made(true)
    bytes.writeUInt32BE(0, bytes.lastIndexOf('mdat') - 4)
    expect(await read(bytes)).toMatchObject({ seconds: 5 })
  })

  it('that was cut, or has a box of less than its head, is told where it should end', async () => {
    const bytes = made()
    expect(await read(bytes.subarray(0, -1))).toEqual({
      why: `its bytes end at ${bytes.length - 1}, and should at ${bytes.length}: it was cut`,
    })
    const short = Buffer.concat([bytes, Buffer.from('0000000466726565', 'hex')])
    expect(await read(short)).toEqual({
      why: `its bytes end at ${short.length}, and should at ${bytes.length + 4}: it was cut`,
    })
  })
})
