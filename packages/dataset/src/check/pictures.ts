/** Whether pictures of a video decode: its first, middle and last one of each episode, by a decoder that is given. */
import type { ByteFile } from '../parquet.ts'
import type { CodedVideo, VideoFrames } from './video.ts'

/** What a decoder is given: a picture that is wanted, behind all that it is made from. */
interface CodedRun {
  /** Of the episode. */
  readonly frame: number
  /** In the order of decoding; the first one is a key frame. */
  readonly chunks: readonly { readonly isKey: boolean; readonly timestamp: number; readonly bytes: Uint8Array }[]
  /** The timestamp of the picture. */
  readonly wanted: number
  /** When a player of the whole video shows it, and until when. */
  readonly shown: { readonly from: number; readonly to: number }
}

/** Some pictures of one video. */
export interface CodedPictures extends Omit<CodedVideo, 'samples'> {
  /** Of the video's file. */
  readonly path: string
  readonly codec: string
  readonly runs: readonly CodedRun[]
}

/** What came of it: a fault is the video's, and what is skipped says nothing of the video. */
export type Decoded =
  | { readonly is: 'decoded' }
  | { readonly is: 'fault'; readonly frame: number; readonly why: string }
  | { readonly is: 'skipped'; readonly why: string }

/** Rejects where the check ends. */
export interface PictureDecoder {
  decode(pictures: CodedPictures): Promise<Decoded>
}

/** An episode's part of a video: of frame numbers as they are shown. */
export interface ShownSpan {
  readonly first: number
  readonly last: number
}

/** LeRobot's videos have a key frame every second frame; ten seconds of others are within these. */
const MOST_RUN_BYTES = 8 * 1024 * 1024
const MOST_RUN_CHUNKS = 600

/** Decodes three pictures of an episode. `last` is behind the last one. */
export async function decodePictures(
  decoder: PictureDecoder,
  file: ByteFile,
  video: VideoFrames,
  { first, last }: ShownSpan,
): Promise<Decoded> {
  const { codec, coded, times, seconds } = video
  const { samples, ...own } = coded
  const wanted = [...new Set([first, Math.floor((first + last) / 2), last - 1])].filter(
    (at) => at >= first && at < last,
  )
  const runs: CodedRun[] = []
  for (const shown of wanted) {
    const target = samples.order[shown] ?? 0
    let key = target
    while (key > 0 && !samples.isKey[key]) key -= 1
    const frame = shown - first
    if (!samples.isKey[key]) return { is: 'fault', frame, why: 'no key frame is before it' }
    if (target - key >= MOST_RUN_CHUNKS) return tooFar
    const run = await readRun(file, coded, { key, target })
    if (run === null) return tooFar
    runs.push({
      frame,
      chunks: run,
      wanted: target,
      shown: { from: times[shown] ?? 0, to: times[shown + 1] ?? seconds },
    })
  }
  return runs.length === 0 ? { is: 'decoded' } : decoder.decode({ ...own, path: file.path, codec, runs })
}

const tooFar: Decoded = { is: 'skipped', why: 'key frames are too far apart' }

/** Null where there is too much of it. Timestamps are places in the order of decoding: no two are equal. */
async function readRun(
  file: ByteFile,
  { samples }: CodedVideo,
  { key, target }: { readonly key: number; readonly target: number },
): Promise<CodedRun['chunks'] | null> {
  const places = Array.from({ length: target - key + 1 }, (_, at) => {
    const [start, size] = [samples.offsets[key + at] ?? 0, samples.sizes[key + at] ?? 0]
    return { start, end: start + size }
  })
  const from = places.reduce((least, { start }) => Math.min(least, start), Number.POSITIVE_INFINITY)
  const to = places.reduce((most, { end }) => Math.max(most, end), 0)
  if (to - from > MOST_RUN_BYTES) return null
  const bytes = new Uint8Array(await file.read(from, to))
  return places.map(({ start, end }, at) => ({
    ...{
      isKey: Boolean(samples.isKey[key + at]),
      timestamp: key + at,
      bytes: bytes.subarray(start - from, end - from),
    },
  }))
}
