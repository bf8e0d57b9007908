import type { SpecObject } from '../compose/types.ts'
import { builtinMeshFault } from './builtin-mesh.ts'
import { countIn, isLong, isZero, numbersIn, textOf, vectorOf } from './fields.ts'
import type { Report } from './report.ts'

/** Checks the part of a mesh that the model itself describes. */
export function checkMesh(mesh: SpecObject, report: Report): void {
  if (mesh.made) return
  const { element } = mesh
  const { attributes } = element
  const builtin = builtinMeshFault(element)
  if (builtin !== null) report.refused(mesh, 'builtin', builtin)
  const inertia = textOf(mesh, 'inertia', 'legacy')
  if (inertia !== 'shell' && vectorOf(mesh, 'scale', [1, 1, 1]).includes(0))
    report.refused(mesh, 'scale', 'has a scale of 0, which leaves no volume')
  if (isZero(vectorOf(mesh, 'refquat', [1, 0, 0, 0]))) report.refused(mesh, 'refquat', 'has a refquat of zeros')
  const file = attributes.get('file') ?? ''
  const besides = file === '' ? null : besidesFile(file, attributes)
  if (besides !== null) report.refused(mesh, 'data', besides)
  const elsewhere = file !== '' || (attributes.get('builtin') ?? 'none') !== 'none'
  if (elsewhere || element.children.some(({ name }) => name === 'plugin')) return
  const fault = dataFault(attributes, inertia, vectorOf(mesh, 'scale', [1, 1, 1]))
  if (fault !== null) report.refused(mesh, 'data', fault)
}

/** Data written in the model although the file has it too. Files of MuJoCo's own format may have no faces. */
function besidesFile(file: string, attributes: ReadonlyMap<string, string>): string | null {
  if (countIn(attributes.get('vertex')) > 0) return 'has a file, and vertices beside it'
  const faces = countIn(attributes.get('face'))
  if (faces > 0 && /\.(?:stl|obj)$/i.test(file)) return 'has a file, and faces beside it'
  if (faces % 3 !== 0) return 'has faces that do not come in threes of vertices'
  return countIn(attributes.get('normal')) % 3 === 0 ? null : 'has normals that do not come in threes of numbers'
}

function dataFault(attributes: ReadonlyMap<string, string>, inertia: string, scale: readonly number[]): string | null {
  const vertices = countIn(attributes.get('vertex'))
  if (vertices < 12) return 'has no file, and fewer than 4 vertices'
  if (vertices % 3 !== 0) return 'has vertices that do not come in threes of numbers'
  if (countIn(attributes.get('face')) % 3 !== 0) return 'has faces that do not come in threes of vertices'
  if (countIn(attributes.get('normal')) % 3 !== 0) return 'has normals that do not come in threes of numbers'
  const texcoords = countIn(attributes.get('texcoord'))
  if (texcoords !== 0 && texcoords !== (2 * vertices) / 3) return 'has texcoords other than two for each vertex'
  if (isLong(attributes.get('vertex')) || isLong(attributes.get('face'))) return null
  const faces = numbersIn(attributes.get('face'))
  if (faces.some((vertex) => vertex < 0 || vertex >= vertices / 3))
    return 'has a face with a vertex that does not exist'
  const points = pointsIn(numbersIn(attributes.get('vertex')))
  const box = boxAround(points)
  if ((faces.length === 0 || inertia !== 'shell') && box.isFlat) return 'has all its vertices in one plane'
  const size = box.volume * Math.abs(scale.reduce((product, factor) => product * factor, 1))
  // The inertia is a sum over the faces, and no term is larger than that of the box.
  const parts = Math.max(1, faces.length / 3)
  if (inertia !== 'shell' && size * parts < LEAST_VOLUME / 2) return 'encloses next to no volume'
  return isOneSided(faces, inertia) ? 'has faces that enclose no volume' : null
}

/** Whether all faces lie in one plane, or have no area. A convex inertia is that of the hull, whatever the faces. */
function isOneSided(faces: readonly number[], inertia: string): boolean {
  if (faces.length === 0) return false
  const shapes = new Set<string>()
  for (let at = 0; at < faces.length; at += 3) {
    const corners = new Set(faces.slice(at, at + 3))
    if (corners.size === 3) shapes.add([...corners].sort((a, b) => a - b).join(' '))
  }
  return shapes.size === 0 || (shapes.size === 1 && inertia !== 'shell' && inertia !== 'convex')
}

type Point = readonly [number, number, number]

/** Points relative to the first one, in single precision as in MuJoCo. */
function pointsIn(numbers: readonly number[]): Point[] {
  const points: Point[] = []
  const at = (i: number) => Math.fround(numbers[i] as number)
  for (let i = 0; i < numbers.length; i += 3) points.push([at(i) - at(0), at(i + 1) - at(1), at(i + 2) - at(2)])
  return points
}

/** A mesh whose distance from a plane is below this fraction of its size is certainly flat. */
const FLAT = 1e-12

/** Half of MuJoCo's bound, to leave room for rounding. */
const LEAST_VOLUME = 1e-15

/**
 * A box that contains all points. Its length is the largest distance from the first point, its width twice the largest
 * distance from that line, its height twice the largest distance from the plane of both. The mesh is flat if width or
 * height is negligible compared to the length.
 */
function boxAround(points: readonly Point[]): { readonly isFlat: boolean; readonly volume: number } {
  const farthest = (vectorOf: (point: Point) => Point) =>
    points.map(vectorOf).reduce((best, next) => (square(next) > square(best) ? next : best), [0, 0, 0] as Point)
  const along = farthest((point) => point)
  const across = farthest((point) => cross(along, point))
  const size = square(along)
  if (square(across) <= size * size * FLAT) return { isFlat: true, volume: 0 }
  const heightOf = ([x, y, z]: Point) => Math.abs(x * across[0] + y * across[1] + z * across[2])
  // The product of length, width and height.
  const height = points.reduce((most, point) => Math.max(most, heightOf(point)), 0)
  return { isFlat: height <= Math.sqrt(square(across) * size) * FLAT, volume: 8 * height }
}

function cross([x, y, z]: Point, [u, v, w]: Point): Point {
  return [y * w - z * v, z * u - x * w, x * v - y * u]
}

function square([x, y, z]: Point): number {
  return x * x + y * y + z * z
}
