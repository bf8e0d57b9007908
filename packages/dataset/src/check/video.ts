/** What the container of a video says of its frames, by ranges: the pictures themselves are not read. */
import type { Box, DataStream } from 'mp4box'
import type { ByteFile } from '../parquet.ts'
import { listOfFrames } from './video-boxes.ts'

/** The frames of a video. */
export interface VideoFrames {
  /** Seconds at which each is shown, from the first on. */
  readonly times: Float64Array
  /** Where the last one ends. */
  readonly seconds: number
  /** As the container names it: `av01.0.05M.08`, `avc1.64001f`. */
  readonly codec: string
  readonly coded: CodedVideo
}

/** What a decoder needs beside the bytes of frames. */
export interface CodedVideo {
  /** Of H.264 and HEVC: how their frames are to be read. Null for codecs that say it in their frames. */
  readonly description: Uint8Array | null
  readonly width: number
  readonly height: number
  /** In the order of decoding; `order` has for each shown frame its place in that. */
  readonly samples: {
    readonly offsets: Float64Array
    readonly sizes: Uint32Array
    readonly isKey: Uint8Array
    readonly order: Uint32Array
  }
}

/** The description of 10 hours of video has a few MB and is read in parts of this. */
const PART_BYTES = 512 * 1024

/** Frames are listed in memory: 20 hours at 60 a second. */
const MOST_FRAMES = 5_000_000

/** The frames of an MP4 file, or why they cannot be decoded. */
export async function readVideo(file: ByteFile): Promise<VideoFrames | { readonly why: string }> {
  const { createFile, DataStream, MP4BoxBuffer } = await import('mp4box')
  const video = createFile()
  const state: { error: string | null } = { error: null }
  video.onError = (_, message) => {
    state.error = message
  }
  const list = await listOfFrames(file)
  if (list && 'why' in list) return list
  const read = async (start: number, end: number) =>
    list && start >= list.start && end <= list.start + list.bytes.length
      ? list.bytes.slice(start - list.start, end - list.start).buffer
      : file.read(start, end)
  for (let start = 0; start < file.sizeBytes && !video.readySent && state.error === null; ) {
    const bytes = await read(start, Math.min(file.sizeBytes, start + PART_BYTES))
    start = Math.max(start + 1, video.appendBuffer(MP4BoxBuffer.fromArrayBuffer(bytes, start)))
  }
  if (!video.moov) return { why: 'it has no list of its frames (a box "moov"): its recording did not end' }
  const track = video.getInfo().videoTracks[0]
  if (!track) return { why: 'it has no track of video' }
  if (track.nb_samples > MOST_FRAMES) return { why: `it has ${track.nb_samples} frames, over ${MOST_FRAMES}` }
  const samples = video.getTrackSamplesInfo(track.id)
  if (samples.length === 0) return { why: 'it has no frame' }
  const beyond = samples.findIndex(({ offset, size }) => size === 0 || offset + size > file.sizeBytes)
  if (beyond >= 0) return { why: `its frame ${beyond} is not within the file` }
  const { times, order } = shownOrder(Float64Array.from(samples, ({ cts, timescale }) => cts / timescale))
  const last = samples.at(-1)
  const seconds = (times.at(-1) ?? 0) + (last ? last.duration / last.timescale : 0)
  const coded = {
    ...{ description: settingsOf(Object(samples[0]?.description), new DataStream()), width: track.video?.width ?? 0 },
    height: track.video?.height ?? 0,
    samples: {
      ...{ offsets: Float64Array.from(samples, ({ offset }) => offset), order },
      sizes: Uint32Array.from(samples, ({ size }) => size),
      isKey: Uint8Array.from(samples, ({ is_sync }) => Number(is_sync)),
    },
  }
  return { times, seconds, codec: track.codec, coded }
}

/** Seconds from the first shown frame on, and where each is in the order of decoding. */
function shownOrder(times: Float64Array): { readonly times: Float64Array; readonly order: Uint32Array } {
  const order = Uint32Array.from(times, (_, at) => at)
  // Most videos are decoded as they are shown: sorting millions of numbers by others takes seconds.
  if (times.some((time, at) => at > 0 && time < (times[at - 1] ?? 0)))
    order.sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || a - b)
  const first = times[order[0] ?? 0] ?? 0
  return { times: Float64Array.from(order, (at) => (times[at] ?? 0) - first), order }
}

/** What the box of the decoder's settings has in it; H.264 and HEVC have one. */
function settingsOf(entry: { readonly avcC?: Box; readonly hvcC?: Box }, stream: DataStream): Uint8Array | null {
  const box = entry.avcC ?? entry.hvcC
  if (!box) return null
  box.write(stream)
  return new Uint8Array(stream.buffer).slice(8)
}
