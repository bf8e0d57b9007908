/**
 * Where the points of a shape are in a flat picture, as MuJoCo's own renderer places them: from the left and from the
 * top, once around or over the whole shape. How often a material repeats it comes on top. Pure.
 */
import { BufferAttribute, type BufferGeometry } from 'three'
import type { SceneGeom, SceneMesh, Vector } from './scene.ts'

/** Scale and shift of places in a picture. */
export interface PictureFit {
  readonly scale: readonly [number, number]
  readonly shift: number
}

/** A mesh that says no places, and a height field, lie under a picture: it falls along their z axis. */
const isBelow = ({ shape }: SceneGeom, mesh: SceneMesh | null) =>
  shape === 'hfield' || (shape === 'mesh' && mesh?.texcoords == null)

const isEndless = ({ shape, size: [x, y] }: SceneGeom) => shape === 'plane' && (x <= 0 || y <= 0)

/** How the places of a shape become those of its material: the second of the two axes counts from the top. */
export function pictureFit(geom: SceneGeom, mesh: SceneMesh | null): PictureFit {
  const { wrap, size } = geom
  const [across, down] = wrap?.repeat ?? [1, 1]
  const isUniform = wrap?.uniform === true
  const ofLength = (repeat: number, length: number) => repeat * (isUniform && length > 0 ? length : 1)
  if (!isBelow(geom, mesh)) {
    const scale = [ofLength(across || 1, size[0]), ofLength(down || 1, size[1])] as const
    return { scale, shift: isEndless(geom) ? -0.5 : 0 }
  }
  const overShape = (repeat: number, length: number) => ofLength(repeat, length) / (length > 0 ? length : 1)
  return { scale: [overShape(across, size[0]), overShape(down, size[1])], shift: -0.5 }
}

/** Gives each point of a basic shape its place. */
export function placePoints(geometry: BufferGeometry, geom: SceneGeom): void {
  const positions = geometry.getAttribute('position')
  const normals = geometry.getAttribute('normal')
  const made = geometry.getAttribute('uv')
  const places = new Float32Array(2 * positions.count)
  for (let at = 0; at < positions.count; at += 1) {
    const point: Vector = [positions.getX(at), positions.getY(at), positions.getZ(at)]
    const normal: Vector = [normals.getX(at), normals.getY(at), normals.getZ(at)]
    places.set(placeOf(geom, point, normal, [made.getX(at), made.getY(at)]), 2 * at)
  }
  geometry.setAttribute('uv', new BufferAttribute(places, 2))
}

/** `round`: the parts of the way around the z axis and up, of a round shape. */
function placeOf(
  { shape, size: [a, b, c] }: SceneGeom,
  point: Vector,
  normal: Vector,
  [around, up]: readonly [number, number],
): readonly [number, number] {
  const [x, y] = point
  if (shape === 'plane') return [a > 0 ? x / (2 * a) + 0.5 : x / 2, b > 0 ? 0.5 - y / (2 * b) : -y / 2]
  if (shape === 'box') {
    const [toRight, toTop] = sideOf(point, normal, [a, b, c])
    return [(toRight + 1) / 2, (1 - toTop) / 2]
  }
  const isLid = shape === 'cylinder' && Math.abs(normal[2]) > 0.5
  return isLid ? [0.5 + x / (2 * a), 0.5 + y / (2 * a)] : [around, 1 - up]
}

/** Right and up on the side of a box, each -1 to 1. */
function sideOf([x, y, z]: Vector, normal: Vector, [a, b, c]: Vector): readonly [number, number] {
  const [alongX, alongY] = [Math.abs(normal[0]) > 0.5, Math.abs(normal[1]) > 0.5]
  if (alongX) return [y / b, z / c]
  return alongY ? [x / a, z / c] : [x / a, y / b]
}

/** Places of the points of a mesh that says none. */
export function placesBelow(positions: Float32Array): Float32Array<ArrayBuffer> {
  return Float32Array.from({ length: (2 * positions.length) / 3 }, (_, at) =>
    at % 2 === 0 ? (positions[(3 * at) / 2] ?? 0) / 2 : -(positions[(3 * (at - 1)) / 2 + 1] ?? 0) / 2,
  )
}
