/** Which pictures of videos a check has decoded, and what it tells of those that do not decode. */
import { expect, it } from 'vitest'
import { checkDataset } from '../src/check/check-dataset.ts'
import type { CodedPictures, Decoded } from '../src/check/pictures.ts'
import { standingReport } from '../src/check/standing-report.ts'
import { CAMERA, FPS, filesOf, madeDataset } from './support/made-dataset.ts'

/** Every eighth frame is a key frame; the bytes of a frame are its number. */
const made = (layout: 2 | 3, isKey = (at: number) => at % 8 === 0) =>
  filesOf(
    madeDataset(layout, {
      video: (_, frames) => {
        const samples = Array.from({ length: frames }, (__, at) => ({ isKey: isKey(at), bytes: Uint8Array.of(at, 7) }))
        return [frames, FPS, false, { samples }]
      },
    }),
  )

const tried = (answer: (asked: CodedPictures) => Decoded) => {
  const asked: CodedPictures[] = []
  return {
    asked,
    decode: (pictures: CodedPictures) => {
      asked.push(pictures)
      return Promise.resolve(answer(pictures))
    },
  }
}

it('decodes the first, middle and last frame of each episode, each from the key frame before it', async () => {
  const decoder = tried(() => ({ is: 'decoded' }))
  const report = await checkDataset(made(2), { decoder })
  expect([report.findings, report.pictures]).toEqual([[], { decoded: 3, skipped: {} }])
  expect(decoder.asked.map(({ runs }) => runs.map(({ frame }) => frame))).toEqual([
    [0, 20, 39],
    [0, 30, 59],
    [0, 15, 29],
  ])
  const [first] = decoder.asked
  expect([first?.codec, first?.width, first?.height, first?.description]).toEqual(['vp09.00.10.08', 64, 48, null])
  for (const { frame, wanted, chunks } of first?.runs ?? []) {
    expect([chunks.at(-1)?.timestamp, chunks[0]?.isKey]).toEqual([wanted, true])
    expect(chunks.map(({ bytes }) => bytes[0])).toEqual(
      Array.from({ length: (frame % 8) + 1 }, (_, at) => frame - (frame % 8) + at),
    )
  }
  expect(standingReport(report).unchecked).toEqual([])
})

it('tells a picture that does not decode at its episode, frame and camera, also in a video of several episodes', async () => {
  const decoder = tried(({ runs }) => ({ is: 'fault', frame: runs[1]?.frame ?? 0, why: 'bad header' }))
  for (const layout of [2, 3] as const) {
    const { findings } = await checkDataset(made(layout), { decoder })
    expect(findings.map(({ code, episode, frame, place }) => [code, episode, frame, place])).toEqual([
      ['broken_video', 0, 20, CAMERA],
      ['broken_video', 1, 30, CAMERA],
      ['broken_video', 2, 15, CAMERA],
    ])
    expect(findings[0]?.detail).toMatch(/^videos\/.*\.mp4: the picture of this frame does not decode: bad header$/)
  }
})

it('asks for no picture without a key frame before it, and for none that needs too much', async () => {
  const decoder = tried(() => ({ is: 'decoded' }))
  const { findings } = await checkDataset(
    made(2, (at) => at === 25),
    { decoder },
  )
  expect(findings.map(({ frame, detail }) => [frame, detail.split(': ').at(-1)])).toEqual([
    [0, 'no key frame is before it'],
    [0, 'no key frame is before it'],
    [0, 'no key frame is before it'],
  ])
  expect(decoder.asked).toEqual([])
})

it('says what was skipped, and why', async () => {
  const decoder = tried(() => ({ is: 'skipped', why: 'HUB_CHROMIUM is off.' }))
  const standing = standingReport(await checkDataset(made(2), { decoder }))
  expect(standing.unchecked).toEqual([
    'pictures of videos (3 of vp09): not decoded for 3 of 3 episodes in them: HUB_CHROMIUM is off.',
  ])
  expect(standing).not.toHaveProperty('pictures')
})
