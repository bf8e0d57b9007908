/** The browser's own decoder, for the pictures that a check of a data set tries: as a worker's Chromium does it. */
import { decodeRuns } from '@hub/dataset/decode-runs'
import type { Decoded, PictureDecoder } from '@hub/dataset/pictures'
import { playRuns } from './play-runs.ts'

/** Of one part of a video, three pictures: a decoder that hangs says nothing of the video. */
const PART_MS = 60_000

/** Parts that may be late before no more is tried. */
const MOST_LATE = 3

/**
 * `urlOf`: where a player finds a file. WebCodecs is for pages of a safe address; others play the video. Rejects with the
 * reason of `signal` alone.
 */
export function pageDecoder(
  urlOf: (path: string) => Promise<string>,
  signal: AbortSignal,
  partMs = PART_MS,
): PictureDecoder {
  let late = 0
  return {
    async decode(pictures) {
      signal.throwIfAborted()
      if (late >= MOST_LATE) return { is: 'skipped', why: `this browser was late ${late} times` }
      const end = new AbortController()
      const ended = AbortSignal.any([signal, end.signal])
      const decoded =
        'VideoDecoder' in globalThis
          ? decodeRuns(pictures)
          : urlOf(pictures.path).then((url) => playRuns(url, pictures, ended))
      try {
        return await Promise.race([decoded.catch(skipped), stopped(ended, partMs)])
      } catch (error) {
        signal.throwIfAborted()
        late += 1
        return skipped(error)
      } finally {
        end.abort()
      }
    },
  }
}

const skipped = (error: unknown): Decoded => ({
  ...{ is: 'skipped', why: error instanceof Error ? error.message : String(error) },
})

/** Rejects when the time is over; never for what ended before. */
const stopped = (ended: AbortSignal, partMs: number) =>
  new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new Error(`this browser took longer than ${partMs / 1000} s`)), partMs)
    ended.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(ended.reason)
    })
  })
