/** Whether each episode has its videos, with a frame for each of its rows, shown when the row was recorded. */
import type { Episode, EpisodeVideo } from '../episode-list.ts'
import { byteFileOf, type DatasetFiles } from './dataset-files.ts'
import type { FindingList } from './finding.ts'
import { readVideo, type VideoFrames } from './video.ts'

/** Asked for one episode after the other. */
export interface VideoCheck {
  /** `times`: of its rows, in seconds; `frames`: how many rows it has. */
  episode(episode: Episode, frames: number, times: Float64Array | null): Promise<void>
  /** The files until now: by the codec of their pictures, or `unread` for what is no MP4 or broken. */
  read(): ReadVideos
}

/** Files of videos by their codec, without its profile: `av01`, `avc1`. */
export type ReadVideos = Readonly<Record<string, number>>

/** A file of layout 3 has many episodes: a broken one is told once, at the first. */
export function videoCheck(files: DatasetFiles, fps: number, findings: FindingList): VideoCheck {
  // Of the last files, one for each camera.
  const recent = new Map<string, VideoFrames | null>()
  const told = new Set<string>()
  // A file is opened again where another one of its camera was in between.
  const codecs = new Map<string, string>()

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

  return {
    async episode(episode, frames, times) {
      for (const one of episode.videos) {
        const video = await open(one.path, one.camera, episode.index)
        if (video && frames > 0) compare({ one, video, frames, times, fps, episode: episode.index, findings })
      }
      const most = 2 * episode.videos.length
      for (const path of [...recent.keys()].slice(0, Math.max(0, recent.size - most))) recent.delete(path)
    },
    read() {
      const counts: Record<string, number> = {}
      for (const codec of codecs.values()) counts[codec] = (counts[codec] ?? 0) + 1
      return counts
    },
  }
}

const whyOf = (error: unknown) => ({ why: error instanceof Error ? error.message : String(error) })

interface Compared {
  readonly one: EpisodeVideo
  readonly video: VideoFrames
  readonly frames: number
  readonly times: Float64Array | null
  readonly fps: number
  readonly episode: number
  readonly findings: FindingList
}

function compare({ one, video, frames, times, fps, episode, findings }: Compared): void {
  const half = 0.5 / fps
  const first = video.times.findIndex((time) => time >= one.from - half)
  const after = one.to === null ? -1 : video.times.findIndex((time) => time >= (one.to ?? 0) - half)
  const last = after < 0 ? video.times.length : after
  const shown = first < 0 ? 0 : last - first
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
