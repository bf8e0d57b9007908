/** What a kept map is for a replay: of a robot's model and of what is recorded. Pure. */
import type { JointMap, MappedJoint } from '@hub/embodiment/joint-map'
import type { RobotTarget } from './robot-targets.ts'

interface KeptPart {
  /** Joints of the map that are recorded and that the model has. */
  readonly joints: readonly MappedJoint[]
  /** qpos of the robot's own pose, with the values of held joints in it. */
  readonly start: readonly number[]
  /** What of the map cannot be done here, a sentence each. */
  readonly missing: readonly string[]
}

/** `labels`: names of the recorded numbers. */
export function keptPart(
  { joints, held }: JointMap,
  labels: readonly string[],
  targets: readonly RobotTarget[],
  own: readonly number[],
): KeptPart {
  const [recorded, places] = [new Set(labels), new Map(targets.map(({ name, at }) => [name, at]))]
  const start = [...own]
  const missing: string[] = []
  const absent = (joint: string) => `The map gives a value to ${joint}, which the model does not have.`
  const used = joints.filter(({ from, to }) => {
    if (!recorded.has(from)) missing.push(`The map moves ${to} by ${from}, which is not recorded.`)
    else if (!places.has(to)) missing.push(absent(to))
    return recorded.has(from) && places.has(to)
  })
  for (const { joint, value } of held) {
    const place = places.get(joint)
    if (place === undefined) missing.push(absent(joint))
    else start[place] = value
  }
  return { joints: used, start, missing }
}
