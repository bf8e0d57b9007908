/** The page's decoder of pictures: one that hangs, or that the browser does not have, says nothing of a video. */
import type { CodedPictures } from '@hub/dataset/pictures'
import { afterEach, expect, it, vi } from 'vitest'
import { pageDecoder } from '../../../web/src/pages/repos/dataset-check/page-decoder.ts'

const pictures: CodedPictures = {
  ...{ path: 'videos/front.mp4', codec: 'hvc1.1.6.L93.B0', width: 64, height: 48, description: null },
  runs: [
    {
      ...{ frame: 7, wanted: 0, shown: { from: 0, to: 0.05 } },
      chunks: [{ isKey: true, timestamp: 0, bytes: Uint8Array.of(1) }],
    },
  ],
}
const noUrl = () => Promise.reject(new Error('No player is asked.'))
const withDecoder = (isConfigSupported: () => Promise<object>) =>
  vi.stubGlobal('VideoDecoder', Object.assign(class {}, { isConfigSupported }))

afterEach(() => vi.unstubAllGlobals())

it('names the codec that the browser does not decode', async () => {
  withDecoder(() => Promise.resolve({ supported: false }))
  const decoder = pageDecoder(noUrl, new AbortController().signal)
  expect(await decoder.decode(pictures)).toEqual({
    ...{ is: 'skipped', why: 'this browser does not decode hvc1.1.6.L93.B0' },
  })
})

it('tries no more after three that were late, and ends with the check', async () => {
  withDecoder(() => new Promise(() => undefined))
  const end = new AbortController()
  const decoder = pageDecoder(noUrl, end.signal, 1)
  const said = []
  for (let at = 0; at < 4; at += 1) said.push(await decoder.decode(pictures))
  const late = { is: 'skipped', why: 'this browser took longer than 0.001 s' }
  expect(said).toEqual([late, late, late, { is: 'skipped', why: 'this browser was late 3 times' }])
  const reason = new Error('the page is left')
  const asked = pageDecoder(noUrl, end.signal).decode(pictures)
  end.abort(reason)
  await expect(asked).rejects.toBe(reason)
  await expect(decoder.decode(pictures)).rejects.toBe(reason)
})

it('asks a player where there is no WebCodecs; an address that is not told says nothing of the video', async () => {
  const decoder = pageDecoder(noUrl, new AbortController().signal)
  expect(await decoder.decode(pictures)).toEqual({ is: 'skipped', why: 'No player is asked.' })
})
