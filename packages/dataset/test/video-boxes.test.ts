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
    expect(file.asked.filter(([, to]) => to > list + 16)).toEqual([[list, end]])
  })

  it.each([400_000_000, 4_294_967_295, 1000])('of %i frames that it cannot hold is told so', async (frames) => {
    const bytes = made()
    bytes.writeUInt32BE(frames, bytes.lastIndexOf('stsz') + 12)
    expect(await read(bytes)).toEqual({ why: `its ${frames} frames of 24 bytes are not in the file` })
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
