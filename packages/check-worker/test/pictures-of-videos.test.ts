// @module-tag sampled
/** Pictures of real videos are decoded in Chromium, broken ones are told at their episode and camera. With `npm run test:torture` alone. */

import { checkDataset } from '@hub/dataset/check-dataset'
import { needs } from '@hub/testing/needs'
import { sampleSize } from '@hub/testing/torture'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CAMERA, type Fault, FPS, filesOf, madeDataset } from '../../dataset/test/support/made-dataset.ts'
import { pictureDecoder } from '../src/pictures/picture-decoder.ts'
import { type ChromiumProcess, startChromium } from '../src/stills/chromium-process.ts'
import { findChromium } from '../src/stills/find-chromium.ts'
import { stillsLimits } from '../src/stills/limits.ts'
import { type EncodedFrames, encodedFrames } from './support/encoded-frames.ts'

const chromium = await findChromium(process.env.HUB_CHROMIUM, process.env.PATH)
const unable = sampleSize(1, 0) === 0 ? 'in `npm run test:torture` alone' : 'missing' in chromium && chromium.missing

type Sample = EncodedFrames['samples'][number]
const codecs = ['vp09', 'av01', 'avc1'] as const
/** As patient as the other tests: a busy machine starts Chromium in its own time. */
const patient = { partMs: 300_000, allMs: 900_000, timeS: 300, memoryMiB: 2048, partsOfBrowser: 300, failures: 3 }

describe('pictures of videos', needs(unable), () => {
  let encoder: ChromiumProcess
  const encoded = new Map<EncodedFrames['codec'], EncodedFrames>()
  const noSignal = new AbortController().signal
  const decoder = pictureDecoder(chromium, noSignal, patient)

  beforeAll(async () => {
    encoder = await startChromium('program' in chromium ? chromium.program : '', stillsLimits)
    const page = await encoder.browser.newPage()
    await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }))
    await page.goto('https://encoder.invalid/')
    for (const codec of codecs) {
      const made = await encodedFrames(page, codec, 60)
      if (made) encoded.set(codec, made)
    }
    await encoder.end()
  })
  afterAll(() => decoder.end())

  /** `change`: of the frames of one video. */
  const withPictures = (
    broken: number,
    change: (own: Sample[]) => void,
    codec: EncodedFrames['codec'] = 'vp09',
  ): Fault => ({
    video(episode, frames) {
      const of = encoded.get(codec)
      const own = (of?.samples ?? []).slice(0, frames).map((one) => ({ ...one }))
      if (episode === broken) change(own)
      return [frames, FPS, false, { codec, settings: of?.settings ?? null, samples: own }]
    },
  })
  const check = async (fault: Fault) => checkDataset(filesOf(madeDataset(2, fault)), { decoder })

  it.for(codecs)('decode in right videos of %s, and nothing is told', async (codec, { skip }) => {
    skip(codec === 'avc1' && !encoded.has(codec), 'this build of Chromium does not encode H.264')
    const report = await check(withPictures(-1, () => undefined, codec))
    expect([report.findings, report.pictures, report.videos]).toEqual([[], { decoded: 3, skipped: {} }, { [codec]: 3 }])
  })

  it.each([
    ['first', 0],
    ['middle', 30],
    ['last', 59],
  ])('are told where those of the %s frame are not pictures', async (_, frame) => {
    const spoil = (own: Sample[]) => {
      const key = frame - (frame % 4)
      for (let at = key; at < key + 4; at += 1) own[at]?.bytes.fill(0xff)
    }
    const report = await check(
      withPictures(1, (own) =>
        spoil(
          Object.assign(
            own,
            own.map((one) => ({ ...one, bytes: one.bytes.slice() })),
          ),
        ),
      ),
    )
    expect(report.findings.map(({ code, episode, frame: at, place }) => [code, episode, at, place])).toEqual([
      ['broken_video', 1, frame, CAMERA],
    ])
  })

  it('are told where they are of another codec', async () => {
    // Bytes that fill the frames, with settings of H.264. A Chromium without that codec says so.
    const { counts, pictures } = await check({})
    const skipped = Object.values(pictures?.skipped ?? {}).reduce((sum, one) => sum + one, 0)
    expect((counts.broken_video ?? 0) + skipped).toBe(3)
  })

  it('are not tried after the browser died too often or the time is over, and the report says why', async () => {
    const limits = { ...patient, partMs: 1, failures: 2 }
    const late = pictureDecoder(chromium, noSignal, limits)
    const report = await checkDataset(
      filesOf(
        madeDataset(
          2,
          withPictures(-1, () => undefined),
        ),
      ),
      { decoder: late },
    )
    await late.end()
    expect(report.findings).toEqual([])
    expect(report.pictures?.skipped).toEqual({
      'Chromium did not answer: it took longer than 0.001 s.': 2,
      'Chromium failed 2 times: it took longer than 0.001 s.': 1,
    })
  })
})
