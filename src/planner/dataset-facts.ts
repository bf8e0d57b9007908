/**
 * The facts that the planner reads from a LeRobot dataset's `meta/info.json` (v2.0, v2.1, v3.0). Pure. Spec,
 * "RunRecommendation".
 */
import { z } from 'zod'

export interface DatasetCamera {
  readonly key: string
  readonly width: number
  readonly height: number
}

export interface DatasetFacts {
  readonly ref: string
  readonly cameras: readonly DatasetCamera[]
  readonly fps: number | null
  readonly episodes: number | null
  readonly frames: number | null
  readonly stateDim: number | null
  readonly actionDim: number | null
  readonly robotType: string | null
}

const MAX_CAMERAS = 64
/** GraphQL's integers have 32 bits. */
const size = z
  .int()
  .min(1)
  .max(2 ** 31 - 1)

const feature = z.object({
  dtype: z.string(),
  shape: z.array(size).max(8),
  names: z.unknown().optional(),
})

type Feature = z.output<typeof feature>

const infoFile = z.object({
  codebase_version: z.string().regex(/^v[23]\.\d+$/),
  total_episodes: z.int().min(0).nullish().catch(null),
  total_frames: z.int().min(0).nullish().catch(null),
  fps: z.number().positive().nullish().catch(null),
  robot_type: z.string().max(256).nullish().catch(null),
  features: z.record(z.string().max(256), z.unknown()),
})

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The facts in the file; null if it is not a LeRobot file. Never throws: the file is untrusted. */
export function parseDatasetFacts(ref: string, bytes: Uint8Array): DatasetFacts | null {
  const parsed = infoFile.safeParse(parseJson(bytes))
  if (!parsed.success) return null
  const info = parsed.data
  const features = Object.entries(info.features).flatMap(([key, value]): [string, Feature][] => {
    const read = feature.safeParse(value)
    return read.success ? [[key, read.data]] : []
  })
  const named = new Map(features)
  return {
    ref,
    cameras: features.flatMap(([key, value]) => cameraOf(key, value)).slice(0, MAX_CAMERAS),
    fps: info.fps ?? null,
    episodes: info.total_episodes ?? null,
    frames: info.total_frames ?? null,
    stateDim: widthOf(named.get('observation.state')),
    actionDim: widthOf(named.get('action')),
    robotType: info.robot_type ?? null,
  }
}

/** Vectors have one axis; a dataset of several arms may have `[2, 7]`. */
function widthOf(vector: Feature | undefined): number | null {
  if (!vector || vector.shape.length === 0) return null
  const width = vector.shape.reduce((product, axis) => product * axis, 1)
  return width <= 2 ** 31 - 1 ? width : null
}

/**
 * Uses the axis names if present; else the first axis is the channels if it is at most 4 and the last is longer than 4,
 * else the last axis.
 */
function cameraOf(key: string, { dtype, shape, names }: Feature): DatasetCamera[] {
  const [first = 0, second = 0, third = 0] = shape
  if ((dtype !== 'video' && dtype !== 'image') || shape.length !== 3) return []
  const axes = Array.isArray(names) ? names : []
  const height = shape[axes.indexOf('height')]
  const width = shape[axes.indexOf('width')]
  if (height !== undefined && width !== undefined) return [{ key, width, height }]
  return first <= 4 && third > 4 ? [{ key, width: third, height: second }] : [{ key, width: second, height: first }]
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    return undefined
  }
}
