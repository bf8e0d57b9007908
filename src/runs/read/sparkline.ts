/** The reward curve of a run: kept small while the run reports, and drawn as a sparkline. Pure. Spec, RunSparkline. */

import { createLTTB } from 'downsample'
import { listOf, number, objectOf, optional, pair, text } from '../../store/read-json.ts'

/** `[step, reward]`. */
export type CurvePoint = readonly [step: number, reward: number]

export interface RunSparkline {
  readonly metric: string
  readonly points: readonly CurvePoint[]
}

/**
 * The rewards that a run keeps: a bounded number of points, equally dense from the start of the training to its end.
 * (If each report thinned the kept points together with its own, the last minute would have as many points as all the
 * hours before it.)
 */
export interface RewardCurve extends RunSparkline {
  /** Number of lines that one point represents: 1, 2, 4, …; absent: 1. */
  readonly every?: number
  /**
   * The lines after the last point, until they are enough for two points: their number, the lowest and the highest in
   * line order, and the last.
   */
  readonly tail?: { readonly lines: number; readonly extremes: readonly CurvePoint[]; readonly last: CurvePoint }
}

/** Reads the stored one. */
export const readCurve = objectOf<RewardCurve>({
  metric: text,
  points: listOf(pair),
  every: optional(number),
  tail: optional(objectOf<NonNullable<RewardCurve['tail']>>({ lines: number, extremes: listOf(pair), last: pair })),
})

const SPARKLINE_POINTS = 64
/**
 * Four points for each point of the sparkline give largest-triangle-three-buckets a choice; 256 points take about 5 KB
 * of a run's row.
 */
const CURVE_POINTS = 256

/** The curve with further rewards, in line order. `metric` is the name of the curve if `curve` is null. */
export function addRewards(
  curve: RewardCurve | null,
  metric: string,
  added: readonly CurvePoint[],
): RewardCurve | null {
  let grown = curve
  for (const point of added) grown = addReward(grown ?? { metric, points: [] }, point)
  return grown
}

function addReward(curve: RewardCurve, point: CurvePoint): RewardCurve {
  const { metric, points, every = 1 } = curve
  if (every === 1) return halvedIfFull({ metric, points: [...points, point], every })
  const lines = (curve.tail?.lines ?? 0) + 1
  const extremes = extremesOf([...(curve.tail?.extremes ?? []), point])
  if (lines < 2 * every) return { metric, points, every, tail: { lines, extremes, last: point } }
  return halvedIfFull({ metric, points: [...points, ...extremes], every })
}

/** The lowest and the highest point in line order; one point if both are the same. */
function extremesOf(points: readonly CurvePoint[]): CurvePoint[] {
  const rewards = points.map(([, reward]) => reward)
  const low = rewards.indexOf(Math.min(...rewards))
  const high = rewards.indexOf(Math.max(...rewards))
  return points.filter((_, place) => place === low || place === high)
}

function halvedIfFull(curve: RewardCurve): RewardCurve {
  const { metric, points, every = 1 } = curve
  if (points.length < CURVE_POINTS) return curve
  return { metric, points: thin(points, CURVE_POINTS / 2), every: 2 * every }
}

/** RunSparkline: 64 points at most, the first and the last among them; null until a line carried a reward. */
export function sparklineOf(curve: RewardCurve | null): RunSparkline | null {
  if (!curve) return null
  const { extremes = [], last } = curve.tail ?? {}
  const isShown = (point: CurvePoint) => extremes.some(([step, reward]) => step === point[0] && reward === point[1])
  const points = [...curve.points, ...extremes, ...(last && !isShown(last) ? [last] : [])]
  return { metric: curve.metric, points: thin(points, SPARKLINE_POINTS) }
}

/**
 * Largest-triangle-three-buckets, with both axes scaled to at most 1: the library picks wrong points if the area of a
 * triangle overflows.
 */
function thin(points: readonly CurvePoint[], count: number): readonly CurvePoint[] {
  if (points.length <= count) return points
  const [stepScale, rewardScale] = [scaleOf(points, 0), scaleOf(points, 1)]
  const lttb = createLTTB<CurvePoint>({
    x: (point: CurvePoint) => point[0] / stepScale,
    y: (point: CurvePoint) => point[1] / rewardScale,
  })
  return lttb([...points], count) as CurvePoint[]
}

const scaleOf = (points: readonly CurvePoint[], axis: 0 | 1) =>
  Math.max(...points.map((point) => Math.abs(point[axis]))) || 1
