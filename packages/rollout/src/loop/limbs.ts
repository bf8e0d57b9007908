/**
 * The joints of a policy on the joints of a robot: each by its own name, or by a map of joints, which turns what the
 * policy sees into its own numbers and what it asks for into the robot's.
 */
import { applyJointMap, back, type JointMap, JointMapError, type MappedJoint, through } from '@hub/embodiment/joint-map'
import type { EmbodimentInterface } from '@hub/robot-card/interface-schema'
import type { PolicyContract } from './policy-contract.ts'
import { type Axis, at, type Places, type World } from './world.ts'

/** A joint of the policy. */
export interface Limb {
  /** As the policy calls it. */
  readonly name: string
  /** Of the robot; null for one that the map drops. */
  readonly axis: Axis | null
  /** Null where the numbers of both are the same. */
  readonly turn: MappedJoint | null
  /** The position at which the policy sees a joint that the map drops. */
  readonly rest: number
}

export interface Limbs {
  /** In the order of the policy. */
  readonly all: readonly Limb[]
  /** Joints of the robot that the policy does not move, and where they stay. */
  readonly held: readonly { readonly axis: Axis; readonly value: number }[]
  /** The default pose by joints of the robot. */
  readonly pose: Readonly<Record<string, number>> | null
  /** What the map does, for people. */
  readonly notes: readonly string[]
}

/** `lacks` gets a sentence for each joint that is not there, and for a map that leaves one out. */
export function limbsOf(
  map: JointMap | null,
  { contract, face }: { readonly contract: PolicyContract; readonly face: EmbodimentInterface },
  places: Places,
  lacks: string[],
): Limbs {
  const { joints, defaultPose } = contract
  if (!map)
    return { all: joints.flatMap((name) => sameLimb(name, places, lacks)), held: [], pose: defaultPose, notes: [] }
  try {
    applyJointMap(map, joints, face.joint_order)
  } catch (error) {
    if (!(error instanceof JointMapError)) throw error
    lacks.push(error.message)
  }
  const moved = new Map(map.joints.map((joint) => [joint.from, joint]))
  const own = contract.isOwnPose ? defaultPose : null
  const all = joints.flatMap((name): Limb[] => {
    const turn = moved.get(name)
    if (!turn) return [{ name, axis: null, turn: null, rest: own?.[name] ?? 0 }]
    const axis = axisOf(turn.to, places, lacks)
    return axis ? [{ name, axis, turn, rest: 0 }] : []
  })
  const held = map.held.flatMap(({ joint, value }) => {
    const axis = axisOf(joint, places, lacks)
    return axis ? [{ axis, value }] : []
  })
  return { all, held, pose: mappedPose(map, own, face), notes: notesOf(map) }
}

function sameLimb(name: string, places: Places, lacks: string[]): Limb[] {
  const axis = places.axis(name)
  if (axis) return [{ name, axis, turn: null, rest: 0 }]
  lacks.push(`The policy has the joint ${JSON.stringify(name)}: the model has no hinge or slide of it.`)
  return []
}

function axisOf(name: string, places: Places, lacks: string[]): Axis | null {
  const axis = places.axis(name)
  if (!axis) lacks.push(`The map gives a value to ${JSON.stringify(name)}: the model has no hinge or slide of it.`)
  return axis
}

/** That of the policy where it says one, turned; else the robot's own. Held joints are where the map holds them. */
function mappedPose({ joints, held }: JointMap, own: PolicyContract['defaultPose'], face: EmbodimentInterface) {
  const turned = joints.flatMap((joint) => {
    const value = own?.[joint.from]
    return value === undefined ? [] : [[joint.to, through(joint, value)] as const]
  })
  const kept = held.map(({ joint, value }) => [joint, value] as const)
  return { ...(own ? {} : face.default_pose), ...Object.fromEntries([...turned, ...kept]) }
}

const notesOf = ({ held, dropped }: JointMap): readonly string[] => [
  ...held.map(({ joint, value }) => `The map holds ${joint} of the robot at ${value}.`),
  ...dropped.map((name) => `The map drops ${name} of the policy: it sees it at rest.`),
]

/** What the policy sees of a joint, in its own numbers. */
export const seen = {
  position({ data }: World, { axis, turn, rest }: Limb): number {
    if (!axis) return rest
    const value = at(data.qpos, axis.qpos)
    return turn ? back(turn, value) : value
  },
  speed({ data }: World, { axis, turn }: Limb): number {
    if (!axis) return 0
    const value = at(data.qvel, axis.dof)
    return turn ? back({ ...turn, offset: 0 }, value) : value
  },
  /** A torque turns the other way round than a speed: their product, the power, is one and the same. */
  effort({ data }: World, { axis, turn }: Limb): number {
    if (!axis) return 0
    const value = at(data.qfrc_actuator, axis.dof)
    return turn ? turn.sign * turn.scale * value : value
  },
}

/** What the policy asks of a joint, in the numbers of the robot. */
export const asked: Readonly<Record<'position' | 'velocity' | 'torque', (limb: Limb, value: number) => number>> = {
  position: ({ turn }, value) => (turn ? through(turn, value) : value),
  velocity: ({ turn }, value) => (turn ? through({ ...turn, offset: 0 }, value) : value),
  torque: ({ turn }, value) => (turn ? (turn.sign * value) / turn.scale : value),
}
