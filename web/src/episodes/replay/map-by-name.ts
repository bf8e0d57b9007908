/** Which recorded numbers move which joints, where no one has said it: those of one name. Pure. */
import type { JointMap, MappedJoint } from '@hub/embodiment/joint-map'
import { plainName } from '@hub/embodiment/propose-map'
import type { RobotTarget } from './robot-targets.ts'

/**
 * Values go over as they are: no sign, unit or offset is guessed. A name also matches as `plainName` reads it, without
 * what tools add. `start`: the pose of the robot, which joints without a source keep.
 */
export function mapByName(
  labels: readonly string[],
  targets: readonly RobotTarget[],
  start: ArrayLike<number>,
): JointMap {
  const pairs = targets.flatMap(({ name }) => {
    const from = sameName(name, labels)
    return from === null ? [] : [{ from, to: name, sign: 1, scale: 1, offset: 0 } as const]
  })
  return mapOf(pairs, labels, targets, start)
}

/** A map with these pairs, in which all else is held or dropped. */
export function mapOf(
  joints: readonly MappedJoint[],
  labels: readonly string[],
  targets: readonly RobotTarget[],
  start: ArrayLike<number>,
): JointMap {
  const [from, to] = [new Set(joints.map((one) => one.from)), new Set(joints.map((one) => one.to))]
  return {
    version: 1,
    joints,
    held: targets.flatMap(({ name, at }) => (to.has(name) ? [] : [{ joint: name, value: start[at] ?? 0 }])),
    dropped: labels.filter((label) => !from.has(label)),
  }
}

/** Null where none or several have it. */
function sameName(name: string, labels: readonly string[]): string | null {
  const exact = labels.filter((label) => label === name)
  const found = exact.length > 0 ? exact : labels.filter((label) => plainName(label) === plainName(name))
  return found.length === 1 ? (found[0] ?? null) : null
}
