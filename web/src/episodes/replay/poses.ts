/** The rows of an episode as poses of a robot. Pure. */

import { applyJointMap, type JointMap, through } from '@hub/embodiment/joint-map'
import type { Curves } from '../episode-curves.ts'
import { mapOf } from './map-by-name.ts'
import type { RobotTarget } from './robot-targets.ts'

/** A feature whose numbers are joints: what was measured, or what was asked for. */
export const STATE = 'observation.state'
export const ACTION = 'action'

export interface Pose {
  /** One for each target, in the robot's units; NaN where the episode says nothing. */
  readonly values: Float64Array
  /** The whole pose: what the episode does not say is as in the robot's own. */
  readonly qpos: readonly number[]
}

/** The pose of each frame; null where the episode lacks the feature, or has none of the map's joints in it. */
export function posesOf(options: {
  readonly curves: Curves
  readonly feature: string
  readonly map: JointMap
  readonly targets: readonly RobotTarget[]
  /** qpos of the robot's own pose. */
  readonly start: ArrayLike<number>
}): ((frame: number) => Pose) | null {
  const { curves, feature, map, targets, start } = options
  const series = curves.features.find(({ name }) => name === feature)?.series ?? []
  const labels = series.map(({ label }) => label)
  const joints = map.joints.filter(({ from }) => labels.includes(from))
  if (joints.length === 0) return null
  // A joint that nothing is said of has no number.
  const silent = Array.from(start, () => Number.NaN)
  const names = targets.map(({ name }) => name)
  const apply = applyJointMap(mapOf(joints, labels, targets, silent), labels, names)
  return (frame) => {
    const values = apply(series.map((one) => one.values[frame] ?? Number.NaN))
    const qpos = Array.from(start)
    for (const { joint, value } of map.held) {
      const at = targets.find(({ name }) => name === joint)?.at
      if (at !== undefined) qpos[at] = value
    }
    for (const [place, { at }] of targets.entries()) {
      const value = values[place] ?? Number.NaN
      if (Number.isFinite(value)) qpos[at] = value
    }
    return { values, qpos }
  }
}

export interface Doubt {
  readonly joint: string
  readonly least: number
  readonly most: number
  readonly range: readonly [number, number]
}

/** Beyond its limits by more than this share of them a joint is not where it can be: soft limits give way a little. */
const SLACK = 0.25

/**
 * Joints that an episode has far outside the limits of the robot: a unit, a sign or an offset is not what the map says.
 */
export function doubtsOf(curves: Curves, map: JointMap, targets: readonly RobotTarget[]): Doubt[] {
  const series = curves.features.find(({ name }) => name === STATE)?.series ?? []
  return targets.flatMap(({ name, range }) => {
    const pair = map.joints.find(({ to }) => to === name)
    const values = series.find(({ label }) => label === pair?.from)?.values
    if (!range || !pair || !values) return []
    let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (const value of values) {
      const mapped = through(pair, value)
      least = Math.min(least, mapped)
      most = Math.max(most, mapped)
    }
    const slack = SLACK * (range[1] - range[0])
    return least < range[0] - slack || most > range[1] + slack ? [{ joint: name, least, most, range }] : []
  })
}
