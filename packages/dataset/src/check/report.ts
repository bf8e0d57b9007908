/** What a check of a data set is asked to do, and what it answers. */
import type { ReadVideos, TriedPictures } from './check-videos.ts'
import type { DatasetSummary } from './coverage.ts'
import type { Finding, FindingCode } from './finding.ts'
import type { JointLimits } from './joints.ts'
import type { PictureDecoder } from './pictures.ts'

/** What a check is asked to do. */
export interface CheckOptions {
  /** Of the robot, by the names of joints in the data set, in its units. */
  readonly limits?: JointLimits
  /** Called after each episode. */
  readonly onEpisode?: (done: number, all: number) => void
  readonly signal?: AbortSignal
  /** Tries three pictures of each episode in each video; without it, none is decoded. */
  readonly decoder?: PictureDecoder | undefined
}

/** What a check found. */
export interface DatasetReport {
  /** Null for MCAP, and where `meta/info.json` cannot be read: then nothing else was looked at. */
  readonly layout: 2 | 3 | null
  /** Of LeRobot, or `MCAP`; null where it is neither. */
  readonly version: string | null
  readonly fps: number | null
  readonly episodes: number
  readonly frames: number
  /** At most 100 of a kind. */
  readonly findings: readonly Finding[]
  /** All findings of each kind. */
  readonly counts: Readonly<Partial<Record<FindingCode, number>>>
  /** What was not checked, in words. */
  readonly unchecked: readonly string[]
  /** Files of videos by codec; absent where none was opened. */
  readonly videos?: ReadVideos
  /** Absent where no picture of them was tried. */
  readonly pictures?: TriedPictures
  readonly summary: DatasetSummary
}
