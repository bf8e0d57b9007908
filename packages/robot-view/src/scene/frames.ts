/** Points and frames, without three.js: what is framed can be told where nothing is drawn. Pure. */
import type { Frame, Quaternion, Vector } from './scene.ts'

/** `point` turned by a unit quaternion. */
function turned([x, y, z]: Vector, [qx, qy, qz, qw]: Quaternion): Vector {
  const [tx, ty, tz] = [2 * (qy * z - qz * y), 2 * (qz * x - qx * z), 2 * (qx * y - qy * x)]
  return [x + qw * tx + qy * tz - qz * ty, y + qw * ty + qz * tx - qx * tz, z + qw * tz + qx * ty - qy * tx]
}

/** A point of the inner frame, in the outer one. */
export function placed(point: Vector, { position, quaternion }: Frame): Vector {
  const [x, y, z] = turned(point, quaternion)
  return [x + position[0], y + position[1], z + position[2]]
}

export interface Box {
  readonly min: Vector
  readonly max: Vector
}

export const emptyBox: Box = {
  min: [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
  max: [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
}

/** The box around points: `visit` is called with a function to hand each of them to. */
export function boxAround(visit: (each: (point: Vector) => void) => void): Box {
  const [min, max]: [number[], number[]] = [[...emptyBox.min], [...emptyBox.max]]
  visit((point) => {
    for (const axis of [0, 1, 2] as const) {
      min[axis] = Math.min(min[axis] ?? 0, point[axis])
      max[axis] = Math.max(max[axis] ?? 0, point[axis])
    }
  })
  return { min: [min[0] ?? 0, min[1] ?? 0, min[2] ?? 0], max: [max[0] ?? 0, max[1] ?? 0, max[2] ?? 0] }
}

/** The box around both. */
export function united(a: Box, b: Box): Box {
  return boxAround((each) => [a.min, a.max, b.min, b.max].forEach(each))
}

/** The length of its diagonal; 0 where it is empty. */
export function diagonal({ min, max }: Box): number {
  return max[0] < min[0] ? 0 : Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2])
}
