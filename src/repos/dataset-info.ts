/** What a LeRobot dataset says of itself in `meta/info.json` (v2.0, v2.1, v3.0), as a meta block. Contract, "Meta blocks can be set". */
import { z } from 'zod'
import { longNameText } from '../platform/text-rules.ts'

export const DATASET_INFO_PATH = 'meta/info.json'

/** Real ones have some kilobytes; a larger file is not read. */
export const MAX_DATASET_INFO_BYTES = 1024 * 1024

export interface DatasetInfo {
  readonly episodeCount: number
  readonly totalFrames: number
  readonly fps: number | null
  readonly robotType: string | null
}

const count = (max: number) => z.number().int().min(0).max(max)

/** The members are the same in the three versions; what else the file holds is the dataset's own affair. */
const infoFile = z.object({
  codebase_version: z.string().regex(/^v[23]\.\d+$/),
  total_episodes: count(2 ** 31 - 1),
  total_frames: count(Number.MAX_SAFE_INTEGER),
  fps: z.number().positive().nullish(),
  robot_type: longNameText.nullish(),
})

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The block that the file's bytes make; null where they are no such file. It never throws: what a file holds is no reason to refuse it. */
export function parseDatasetInfo(bytes: Uint8Array): DatasetInfo | null {
  const parsed = infoFile.safeParse(parseJson(bytes))
  if (!parsed.success) return null
  const {
    total_episodes: episodeCount,
    total_frames: totalFrames,
    fps = null,
    robot_type: robotType = null,
  } = parsed.data
  return { episodeCount, totalFrames, fps, robotType }
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    return undefined
  }
}
