/** Parses `meta/info.json` of a LeRobot dataset (v2.0, v2.1, v3.0) into a meta block. Contract, "Writing". */

import { hasMoreValues } from '@hub/formats/json-values'
import { longNameText } from '@hub/formats/text-rules'
import { z } from 'zod'

export const DATASET_INFO_PATH = 'meta/info.json'

/** Real files have a few kilobytes; larger files are ignored. */
export const MAX_DATASET_INFO_BYTES = 1024 * 1024
/** Real files have some hundred. They are parsed at once. */
const MAX_VALUES = 50_000

export interface DatasetInfo {
  readonly episodeCount: number
  readonly totalFrames: number
  readonly fps: number | null
  readonly robotType: string | null
}

const count = (max: number) => z.number().int().min(0).max(max)

/** These members are the same in all three versions; other members are ignored. */
const infoFile = z.object({
  codebase_version: z.string().regex(/^v[23]\.\d+$/),
  total_episodes: count(2 ** 31 - 1),
  total_frames: count(Number.MAX_SAFE_INTEGER),
  fps: z.number().positive().nullish(),
  robot_type: longNameText.nullish(),
})

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The meta block of the file; null if it is not a LeRobot file. Never throws: an invalid file must not fail the upload.
 */
export function parseDatasetInfo(bytes: Uint8Array): DatasetInfo | null {
  const parsed = infoFile.safeParse(parseSmallJson(bytes))
  if (!parsed.success) return null
  const {
    total_episodes: episodeCount,
    total_frames: totalFrames,
    fps = null,
    robot_type: robotType = null,
  } = parsed.data
  return { episodeCount, totalFrames, fps, robotType }
}

/** JSON that a person wrote; undefined if it is none, or has more values than any real description. */
export function parseSmallJson(bytes: Uint8Array): unknown {
  if (hasMoreValues(bytes, MAX_VALUES)) return undefined
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    return undefined
  }
}
