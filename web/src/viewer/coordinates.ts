/** What of a pose a person sets: each joint as one or more numbers with a unit and a range. Pure. */
import type { JointFacts, ModelFacts } from '@hub/robot-view/physics/model-facts'
import { type Angles, anglesOf, type Turn, turnOf } from './turns.ts'

export interface Coordinate {
  readonly key: string
  /** The joint's name, and the axis where it has several. */
  readonly label: string
  readonly joint: string
  readonly unit: 'rad' | 'm'
  readonly min: number
  readonly max: number
  readonly step: number
  /** Whether the model limits it to the range, or the range is what a slider needs. */
  readonly limited: boolean
  /** Place in qpos; of an angle of a ball, the place of its quaternion. */
  readonly at: number
  /** Roll, pitch or yaw of a quaternion; null for a number that stands in qpos itself. */
  readonly angle: 0 | 1 | 2 | null
}

/** Nothing limits a free body: it is moved by so many sizes of the model around its start. */
const REACH = 2

const angleNames = ['roll', 'pitch', 'yaw'] as const
const axisNames = ['x', 'y', 'z'] as const

/** `start`: qpos of the default pose. `extent`: of the model, in m. */
export function coordinatesOf(
  { joints }: Pick<ModelFacts, 'joints'>,
  start: ArrayLike<number>,
  extent: number,
): Coordinate[] {
  return joints.flatMap((joint, place) => coordinatesOfJoint(joint, place, start, Math.max(extent, MIN_EXTENT)))
}

const MIN_EXTENT = 0.01

function coordinatesOfJoint(joint: JointFacts, place: number, start: ArrayLike<number>, extent: number): Coordinate[] {
  const { type, qpos, limited, range } = joint
  const name = joint.name ?? nameOfUnnamed(joint, place)
  if (type === 'hinge' || type === 'slide') {
    const unit = type === 'hinge' ? 'rad' : 'm'
    const [min, max] = limited ? range : type === 'hinge' ? [-Math.PI, Math.PI] : [-extent, extent]
    return [{ key: `${place}`, label: name, joint: name, unit, ...steps(min, max), limited, at: qpos, angle: null }]
  }
  const quaternion = type === 'free' ? qpos + 3 : qpos
  const angles = angleNames.map((angle, at): Coordinate => {
    const most = at === 1 ? Math.PI / 2 : Math.PI
    const about = { key: `${place}-${angle}`, label: `${name} ${angle}`, joint: name, unit: 'rad' } as const
    return { ...about, ...steps(-most, most), limited: false, at: quaternion, angle: at as 0 | 1 | 2 }
  })
  if (type === 'ball') return angles
  const places = axisNames.map((axis, at): Coordinate => {
    const middle = start[qpos + at] ?? 0
    const about = { key: `${place}-${axis}`, label: `${name} ${axis}`, joint: name, unit: 'm' } as const
    const reach = steps(middle - REACH * extent, middle + REACH * extent)
    return { ...about, ...reach, limited: false, at: qpos + at, angle: null }
  })
  return [...places, ...angles]
}

/** A free joint is the only one of its body. */
function nameOfUnnamed({ body, type }: JointFacts, place: number): string {
  if (body === null) return `joint ${place}`
  return type === 'free' ? body : `${body} (joint ${place})`
}

/** A thousand steps from end to end: a pixel or less each. */
const steps = (min: number, max: number) => ({ min, max, step: (max - min) / 1000 })

/** Its value at a pose. An unlimited hinge is told within one turn. */
export function valueAt(qpos: ArrayLike<number>, coordinate: Coordinate): number {
  if (coordinate.angle !== null) return anglesOf(turnAt(qpos, coordinate.at))[coordinate.angle]
  const value = qpos[coordinate.at] ?? 0
  return coordinate.limited || coordinate.unit === 'm' ? value : withinTurn(value)
}

/** What has to be written into qpos, from which place on, so that the coordinate has a value. */
export function written(
  qpos: ArrayLike<number>,
  { at, angle }: Coordinate,
  value: number,
): { at: number; values: number[] } {
  if (angle === null) return { at, values: [value] }
  const angles: [number, number, number] = [...(anglesOf(turnAt(qpos, at)) as Angles)]
  angles[angle] = value
  return { at, values: [...turnOf(angles)] }
}

const turnAt = (qpos: ArrayLike<number>, at: number): Turn => [
  qpos[at] ?? 1,
  qpos[at + 1] ?? 0,
  qpos[at + 2] ?? 0,
  qpos[at + 3] ?? 0,
]

const TURN = 2 * Math.PI

const withinTurn = (angle: number) => angle - TURN * Math.round(angle / TURN)
