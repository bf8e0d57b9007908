/** Maps that the hub keeps from a data set to a robot, and what one of them is for a replay. Pure. */
import type { JointMap, MappedJoint } from '@hub/embodiment/joint-map'
import type { RobotTarget } from './robot-targets.ts'

/** A version of the map. */
export interface KeptMap {
  readonly version: number
  readonly map: JointMap
  /** Null while no one has reviewed it. */
  readonly reviewedAt: string | null
}

/** The version that stands for joints by name: kept ones begin at 1. */
export const BY_NAME = 0

/**
 * The version that a person chose, else the newest reviewed one; null for joints by name. One that no one has reviewed
 * is never used by itself. `maps`: newest first.
 */
export function keptInUse(maps: readonly KeptMap[], chosen: number | null): KeptMap | null {
  if (chosen === BY_NAME) return null
  const one = chosen === null ? undefined : maps.find(({ version }) => version === chosen)
  return one ?? maps.find(({ reviewedAt }) => reviewedAt !== null) ?? null
}

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
