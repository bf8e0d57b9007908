/**
 * The joints of a robot in place of those of a policy: a device that says where joints stand in its numbers sends and
 * gets those of its own robot, and the server turns them by the map of joints that a person approved. Pure.
 */
import { fingerprintOf } from '@hub/embodiment/fingerprint'
import { applyJointMap, invert, type JointMap, JointMapError } from '@hub/embodiment/joint-map'
import { jointMapSchema } from '@hub/embodiment/read-joint-map'
import { z } from 'zod'
import { MAX_FRAME_BYTES } from '../limits.ts'
import { FrameFault } from './frame-fault.ts'
import { kinds, type Tensor, type TensorSpec } from './tensors.ts'

export interface MappedJoints {
  readonly fingerprint: string
  /** What an input of the model gets of the device's tensor. Throws a `FrameFault`. */
  observe(name: string, tensor: Tensor): Tensor
  /** What the device gets of the model's tensors. */
  act(outputs: Readonly<Record<string, Tensor>>): Readonly<Record<string, Tensor>>
}

const names = z
  .array(z.string().min(1))
  .min(1)
  .max(1000)
  .refine((all) => new Set(all).size === all.length, 'names a joint twice')
/** Offsets are part of positions, and not of changes: speeds, and distances from a pose. */
const moving = z.enum(['positions', 'changes'])

const shape = z.strictObject({
  joint_map: jointMapSchema,
  /** In the order of the model's numbers, and in that of the device's. */
  policy_joints: names,
  robot_joints: names,
  /** The last axis of each input with joints, in its order: a block of joints, or so many numbers that stay. */
  inputs: z.record(z.string(), z.array(z.union([moving, z.int().min(1)])).min(1)),
  /** Outputs whose last axis is joints. */
  outputs: z.record(z.string(), moving),
  /** Where the policy sees joints that the map drops; 0 by default. */
  rest: z.record(z.string(), z.number()).default({}),
})

type Turn = (values: ArrayLike<number>) => Float64Array

interface Block {
  readonly takes: number
  readonly makes: number
  readonly turn: Turn | null
}

/**
 * Of the frame in which a device says it. `approved`: fingerprint of the session's map; null without one. Throws a
 * `FrameFault` with the reason for a map that is faulty, or not the approved one, and for numbers that are none of the
 * model's.
 */
export function mappedJoints(
  frame: Readonly<Record<string, unknown>>,
  model: { readonly inputs: readonly TensorSpec[]; readonly outputs: readonly TensorSpec[] },
  approved: string | null,
): MappedJoints {
  if (approved === null) throw new FrameFault('The session has no map of joints: its robot takes numbers as they are.')
  const read = shape.safeParse(frame)
  if (!read.success) {
    const [first] = read.error.issues
    throw new FrameFault(`The map of joints is faulty: ${first?.path.join('.') || 'the whole'}: ${first?.message}`)
  }
  const { joint_map: map, policy_joints: policy, robot_joints: robot, rest, ...places } = read.data
  const fingerprint = fingerprintOf(map)
  if (fingerprint !== approved)
    throw new FrameFault(`The map of joints is ${fingerprint}; the session was approved for ${approved}.`)
  assertFloats(model.inputs, Object.keys(places.inputs), 'input')
  assertFloats(model.outputs, Object.keys(places.outputs), 'output')
  const turns = turnsOf(map, policy, robot, rest)
  const blocks = new Map(
    Object.entries(places.inputs).map(([name, parts]) => [
      name,
      parts.map(
        (part): Block =>
          typeof part === 'number'
            ? { takes: part, makes: part, turn: null }
            : { takes: robot.length, makes: policy.length, turn: turns.toPolicy[part] },
      ),
    ]),
  )
  const acts = new Map(
    Object.entries(places.outputs).map(([name, what]) => [
      name,
      [{ takes: policy.length, makes: robot.length, turn: turns.toRobot[what] }],
    ]),
  )
  const mapped = (of: ReadonlyMap<string, readonly Block[]>, name: string, tensor: Tensor) => {
    const found = of.get(name)
    return found ? turned(name, tensor, found) : tensor
  }
  return {
    fingerprint,
    observe: (name, tensor) => mapped(blocks, name, tensor),
    act: (outputs) =>
      Object.fromEntries(Object.entries(outputs).map(([name, tensor]) => [name, mapped(acts, name, tensor)])),
  }
}

function turnsOf(map: JointMap, policy: readonly string[], robot: readonly string[], rest: Record<string, number>) {
  try {
    const back = invert(map, { ...Object.fromEntries(map.dropped.map((name) => [name, 0])), ...rest })
    const both = (used: JointMap, from: readonly string[], to: readonly string[]) => ({
      positions: applyJointMap(used, from, to),
      changes: applyJointMap(used, from, to, 'changes'),
    })
    return { toRobot: both(map, policy, robot), toPolicy: both(back, robot, policy) }
  } catch (error) {
    throw error instanceof JointMapError ? new FrameFault(error.message) : error
  }
}

function assertFloats(specs: readonly TensorSpec[], asked: readonly string[], what: 'input' | 'output'): void {
  for (const name of asked) {
    const spec = specs.find((one) => one.name === name)
    if (!spec) throw new FrameFault(`The model has no ${what} ${JSON.stringify(name.slice(0, 100))}.`)
    if (spec.type !== 'float32' && spec.type !== 'float64')
      throw new FrameFault(`The ${what} ${JSON.stringify(name)} is of ${spec.type}: joints are floats.`)
  }
}

/**
 * Each row of the last axis, block by block. What is made is no larger than a frame, however many joints a map adds.
 */
function turned(name: string, { type, dims, data }: Tensor, blocks: readonly Block[]): Tensor {
  const width = blocks.reduce((sum, { takes }) => sum + takes, 0)
  if (dims.at(-1) !== width)
    throw new FrameFault(`${JSON.stringify(name)} has ${dims.at(-1) ?? 'no'} numbers in a row, not ${width}.`)
  const wide = blocks.reduce((sum, { makes }) => sum + makes, 0)
  const { of } = kinds[type]
  const made = (data.length / width) * wide
  if (made * of.BYTES_PER_ELEMENT > MAX_FRAME_BYTES)
    throw new FrameFault(
      `${JSON.stringify(name)} comes to ${made} numbers with the joints of the policy: send fewer rows.`,
    )
  const out = new of(made)
  let place = 0
  for (let from = 0; from < data.length; from += width) {
    let at = from
    for (const { takes, turn } of blocks) {
      const part = Float64Array.from(data.subarray(at, at + takes), Number)
      for (const value of turn ? turn(part) : part) {
        out[place] = value
        place += 1
      }
      at += takes
    }
  }
  return { type, dims: [...dims.slice(0, -1), wide], data: out }
}
