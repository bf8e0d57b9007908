/** What the container of a video says of its frames, by ranges: the pictures themselves are not read. */
import type { Box, DataStream } from 'mp4box'
import type { ByteFile } from '../parquet.ts'
import { listOfFrames, runCounter } from './video-boxes.ts'

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

/** A file in fragments is read in parts of this. */
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
  if ('why' in list) return list
  if (!list.isInFragments) video.appendBuffer(MP4BoxBuffer.fromArrayBuffer(asFile(list.bytes), 0))
  const runs = runCounter(file.sizeBytes)
  for (let start = 0; list.isInFragments && start < file.sizeBytes && !video.readySent && state.error === null; ) {
    const bytes = await file.read(start, Math.min(file.sizeBytes, start + PART_BYTES))
    const why = runs(start, new Uint8Array(bytes))
    if (why !== null) return { why }
    // What it asks for next may be within the part that it has.
    start = Math.max(start + bytes.byteLength, video.appendBuffer(MP4BoxBuffer.fromArrayBuffer(bytes, start)))
  }
  if (!video.moov) return { why: 'its list of frames (a box "moov") is not one' }
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

/** What the reader of boxes asks of every file first. */
const TYPE = Uint8Array.of(0, 0, 0, 16, ...new TextEncoder().encode('ftypisom'), 0, 0, 2, 0)

/** A file of its list alone: places of frames are counted from the start of the file, wherever the list is. */
function asFile(list: ArrayBuffer): ArrayBuffer {
  const made = new Uint8Array(TYPE.length + list.byteLength)
  made.set(TYPE)
  made.set(new Uint8Array(list), TYPE.length)
  return made.buffer
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
