/** Whether each episode has its videos, with a frame for each of its rows, shown when the row was recorded. */
import type { Episode, EpisodeVideo } from '../episode-list.ts'
import { byteFileOf, type DatasetFiles } from './dataset-files.ts'
import type { FindingList } from './finding.ts'
import { decodePictures, type PictureDecoder, type ShownSpan } from './pictures.ts'
import { readVideo, type VideoFrames } from './video.ts'

/** Asked for one episode after the other. */
export interface VideoCheck {
  /** `times`: of its rows, in seconds; `frames`: how many rows it has. */
  episode(episode: Episode, frames: number, times: Float64Array | null): Promise<void>
  /** The files until now: by the codec of their pictures, or `unread` for what is not an MP4 or broken. */
  read(): ReadVideos
  /** Nothing without a decoder. */
  pictures(): TriedPictures | undefined
}

/** Whose pictures were decoded: parts of a video that an episode has. */
export interface TriedPictures {
  readonly decoded: number
  /** Others, by why not. */
  readonly skipped: Readonly<Record<string, number>>
}

/** What videos are compared with. */
interface VideoCheckOptions {
  readonly fps: number
  readonly findings: FindingList
  readonly decoder: PictureDecoder | null
}

/** Files of videos by their codec, without its profile: `av01`, `avc1`. */
export type ReadVideos = Readonly<Record<string, number>>

/** Of the files that are kept in memory: 25 bytes each. */
const MOST_KEPT_FRAMES = 10_000_000

/** A file of layout 3 has many episodes: a broken one is told once, at the first. */
export function videoCheck(files: DatasetFiles, { fps, findings, decoder }: VideoCheckOptions): VideoCheck {
  // Of the last files, one for each camera.
  const recent = new Map<string, VideoFrames | null>()
  const told = new Set<string>()
  // A file is opened again where another one of its camera was in between.
  const codecs = new Map<string, string>()
  const skipped = new Map<string, number>()
  let decoded = 0

  const forget = (most: number) => {
    let frames = [...recent.values()].reduce((sum, video) => sum + (video?.times.length ?? 0), 0)
    for (const [path, video] of [...recent]) {
      if (recent.size <= most && frames <= MOST_KEPT_FRAMES) return
      recent.delete(path)
      frames -= video?.times.length ?? 0
    }
  }

  const open = async (path: string, camera: string, episode: number): Promise<VideoFrames | null> => {
    const file = byteFileOf(files, path)
    if (!file) {
      if (!told.has(path)) findings.add('missing_video', path, `the video of ${camera} is not there`, { episode })
      told.add(path)
      return null
    }
    const known = recent.get(path)
    if (known !== undefined) return known
    // Other containers than MP4 are not read.
    const read = /\.(mp4|m4v|mov)$/i.test(path) ? await readVideo(file).catch(whyOf) : null
    if (read && 'why' in read) findings.add('broken_video', path, `does not decode: ${read.why}`, { episode })
    const video = read && !('why' in read) ? read : null
    recent.set(path, video)
    codecs.set(path, video?.codec.split('.')[0] || 'unread')
    return video
  }

  const decode = async (own: PictureDecoder, { one, video, span, episode }: DecodedPart) => {
    const file = byteFileOf(files, one.path)
    if (!file || span.last <= span.first) return
    const result = await decodePictures(own, file, video, span)
    if (result.is === 'skipped') skipped.set(result.why, (skipped.get(result.why) ?? 0) + 1)
    else decoded += 1
    if (result.is !== 'fault') return
    const detail = `${one.path}: the picture of this frame does not decode: ${result.why}`
    findings.add('broken_video', one.camera, detail, { episode, frame: result.frame })
  }

  return {
    async episode(episode, frames, times) {
      for (const one of episode.videos) {
        const video = await open(one.path, one.camera, episode.index)
        forget(2 * episode.videos.length)
        if (!video || frames <= 0) continue
        const span = spanOf(one, video, fps)
        compare({ one, video, span, frames, times, fps, episode: episode.index, findings })
        if (decoder) await decode(decoder, { one, video, span, episode: episode.index })
      }
    },
    read() {
      const counts: Record<string, number> = {}
      for (const codec of codecs.values()) counts[codec] = (counts[codec] ?? 0) + 1
      return counts
    },
    pictures: () => (decoder ? { decoded, skipped: Object.fromEntries(skipped) } : undefined),
  }
}

const whyOf = (error: unknown) => ({ why: error instanceof Error ? error.message : String(error) })

interface DecodedPart {
  readonly one: EpisodeVideo
  readonly video: VideoFrames
  readonly span: ShownSpan
  readonly episode: number
}

/** The frames of an episode; none where the video ends before it. */
function spanOf({ from, to }: EpisodeVideo, { times }: VideoFrames, fps: number): ShownSpan {
  const half = 0.5 / fps
  const first = times.findIndex((time) => time >= from - half)
  if (first < 0) return { first: 0, last: 0 }
  const after = to === null ? -1 : times.findIndex((time) => time >= to - half)
  return { first, last: after < 0 ? times.length : after }
}

interface Compared extends DecodedPart {
  readonly frames: number
  readonly times: Float64Array | null
  readonly fps: number
  readonly findings: FindingList
}

function compare({ one, video, span, frames, times, fps, episode, findings }: Compared): void {
  const half = 0.5 / fps
  const { first, last } = span
  const shown = last - first
  const lacks = one.to !== null && video.seconds < one.to - 2 * half
  if (shown !== frames || lacks) {
    const end = lacks ? ` It ends at ${video.seconds.toFixed(2)} s, and the episode at ${one.to?.toFixed(2)} s.` : ''
    const detail = `${one.path} has ${shown} frames of the episode, which has ${frames}.${end}`
    findings.add('video_length', one.camera, detail, { episode, frame: Math.min(shown, frames) })
    return
  }
  const [start, begin] = [times?.[0] ?? 0, video.times[first] ?? 0]
  for (let frame = 0; frame < frames; frame += 1) {
    const recorded = times ? (times[frame] ?? 0) - start : frame / fps
    const off = (video.times[first + frame] ?? 0) - begin - recorded
    if (Math.abs(off) <= half) continue
    const detail = `the picture of this frame is shown ${Math.abs(off).toPrecision(3)} s ${off > 0 ? 'after' : 'before'} it`
    findings.add('clock_drift', one.camera, detail, { episode, frame })
    return
  }
}
