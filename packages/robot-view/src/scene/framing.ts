/** Where a camera stands so that all of a robot is seen, in the middle and as large as fits. Pure. */
import type { Vector } from './scene.ts'

export interface Lens {
  /** From the bottom of the picture to its top, in radians. */
  readonly fieldOfView: number
  /** Width by height. */
  readonly aspect: number
  /** From the robot to the camera; not straight up. */
  readonly direction: Vector
  /** Of width and height, on each side. */
  readonly margin: number
}

export interface Camera {
  readonly position: Vector
  readonly target: Vector
  /** Planes before and behind everything. */
  readonly near: number
  readonly far: number
}

/** A function that hands each point to another. */
type Points = (each: (point: Vector) => void) => void

/**
 * The nearest camera that sees every point. Each side of the picture is a plane through the camera; along a fixed
 * direction, the point that is farthest out at each side gives one linear condition, so that the distance is exact.
 */
export function framed(points: Points, lens: Lens): Camera {
  const back = unit(lens.direction)
  const right = unit([-back[1], back[0], 0])
  const axes = { right, up: cross(back, right), back }
  const inner = Math.tan(lens.fieldOfView / 2) * (1 - 2 * lens.margin)
  const [tall, wide] = [inner, inner * lens.aspect]
  const most = { left: NONE, right: NONE, low: NONE, high: NONE, back: NONE, front: NONE }
  points((point) => {
    const [x, y, z] = [dot(point, right), dot(point, axes.up), dot(point, back)]
    most.right = Math.max(most.right, x + wide * z)
    most.left = Math.max(most.left, -x + wide * z)
    most.high = Math.max(most.high, y + tall * z)
    most.low = Math.max(most.low, -y + tall * z)
    most.front = Math.max(most.front, z)
    most.back = Math.max(most.back, -z)
  })
  if (most.front === NONE) return framed((each) => unitCube.forEach(each), lens)
  const distance = Math.max((most.right + most.left) / (2 * wide), (most.high + most.low) / (2 * tall))
  // Points of no size at all still have a camera before them.
  const reach = Math.max(distance - most.front, MIN_DISTANCE)
  const height = most.front + reach
  const [x, y] = centred(points, axes, [(most.right - most.left) / 2, (most.high - most.low) / 2, height])
  const at = (z: number): Vector => [
    right[0] * x + axes.up[0] * y + back[0] * z,
    right[1] * x + axes.up[1] * y + back[1] * z,
    right[2] * x + axes.up[2] * y + back[2] * z,
  ]
  const depth = most.front + most.back
  return { position: at(height), target: at(-most.back), near: reach / 2, far: reach + 8 * (depth + reach) }
}

interface Axes {
  readonly right: Vector
  readonly up: Vector
  readonly back: Vector
}

/** Each pass is exact but for a change of the outermost points. */
const PASSES = 3

/**
 * Moves a camera sideways until both margins are the same: where the other direction decides its distance, there is
 * room to spare.
 */
function centred(points: Points, { right, up, back }: Axes, start: Vector): readonly [number, number] {
  let [x, y] = [start[0], start[1]]
  for (let pass = 0; pass < PASSES; pass += 1) {
    const [across, along] = [outermost(x), outermost(y)]
    points((point) => {
      const depth = start[2] - dot(point, back)
      across.see(dot(point, right), depth)
      along.see(dot(point, up), depth)
    })
    x = across.middle()
    y = along.middle()
  }
  return [x, y]
}

/** The two points that are seen farthest from the middle of the picture along one of its sides. */
function outermost(middle: number) {
  const [first, last] = [
    { share: Number.POSITIVE_INFINITY, at: middle, depth: 1 },
    { share: NONE, at: middle, depth: 1 },
  ]
  return {
    see(at: number, depth: number) {
      const share = (at - middle) / depth
      if (share < first.share) Object.assign(first, { share, at, depth })
      if (share > last.share) Object.assign(last, { share, at, depth })
    },
    /** From where both are seen as far out. */
    middle: () => (first.at * last.depth + last.at * first.depth) / (first.depth + last.depth),
  }
}

const NONE = Number.NEGATIVE_INFINITY
const MIN_DISTANCE = 1e-4
const unitCube: readonly Vector[] = [
  [-1, -1, -1],
  [1, 1, 1],
]

const dot = (a: Vector, b: Vector) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]

function unit(vector: Vector): Vector {
  const length = Math.hypot(...vector)
  return [vector[0] / length, vector[1] / length, vector[2] / length]
}

function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
