/** The joints of a map as sliders in the numbers of the source, and both robots at what they say. Pure. */
import { back, type JointMap, type MappedJoint, through } from '@hub/embodiment/joint-map'
import type { RobotTarget } from '../episodes/replay/robot-targets.ts'

/** A joint of the source that moves one of the robot. */
export interface MapPair {
  readonly joint: MappedJoint
  /** Of the robot; null where its model has no such joint. */
  readonly target: RobotTarget | null
  /** In the numbers of the source: what takes the robot's joint through its limits, and where it stands at first. */
  readonly least: number
  readonly most: number
  readonly start: number
}

/** Of a joint without limits: half a turn to each side, or half a metre. */
const FREE = { rad: Math.PI, m: 0.5 } as const

/** `start`: qpos of the robot's own pose. */
export function pairsOf({ joints }: JointMap, targets: readonly RobotTarget[], start: readonly number[]): MapPair[] {
  return joints.map((joint) => {
    const target = targets.find(({ name }) => name === joint.to) ?? null
    const reach = FREE[target?.unit ?? 'rad']
    const [lower, upper] = (target?.range ?? [-reach, reach]).map((value) => back(joint, value))
    const [a, b] = [lower ?? 0, upper ?? 0]
    const at = target ? back(joint, start[target.at] ?? 0) : 0
    return { joint, target, least: Math.min(a, b), most: Math.max(a, b), start: at }
  })
}

/** `values`: of the pairs, in their order. The robot's pose, held joints included. */
export function robotPose(
  { held }: JointMap,
  pairs: readonly MapPair[],
  values: readonly number[],
  { targets, start }: { readonly targets: readonly RobotTarget[]; readonly start: readonly number[] },
): number[] {
  const qpos = [...start]
  for (const { joint, value } of held) {
    const target = targets.find(({ name }) => name === joint)
    if (target) qpos[target.at] = value
  }
  for (const [place, { joint, target }] of pairs.entries())
    if (target) qpos[target.at] = through(joint, values[place] ?? 0)
  return qpos
}

/** The pose of a robot whose own joints the map reads. */
export function sourcePose(
  pairs: readonly MapPair[],
  values: readonly number[],
  { targets, start }: { readonly targets: readonly RobotTarget[]; readonly start: readonly number[] },
): number[] {
  const qpos = [...start]
  for (const [place, { joint }] of pairs.entries()) {
    const own = targets.find(({ name }) => name === joint.from)
    if (own) qpos[own.at] = values[place] ?? 0
  }
  return qpos
}

/** Seconds that a joint takes from where it stands to one end, to the other, and back. */
export const SWING_S = 2

/** Each joint in turn, the others where they stand. `seconds`: since it began. */
export function swingOf(
  pairs: readonly MapPair[],
  seconds: number,
): { readonly place: number; readonly values: number[] } {
  const place = pairs.length === 0 ? 0 : Math.floor(seconds / SWING_S) % pairs.length
  const values = pairs.map(({ start, least, most }, at) => {
    if (at !== place) return start
    const turn = Math.sin((2 * Math.PI * (seconds % SWING_S)) / SWING_S)
    const inside = Math.min(most, Math.max(least, start))
    return inside + turn * (turn > 0 ? most - inside : inside - least)
  })
  return { place, values }
}
