/** The meshes and height fields that visible geoms of a compiled model use, each once. */

import type { SceneMesh, Shape } from '../scene/scene.ts'
import { meshBytes } from '../scene/scene-bytes.ts'
import { convexHull } from './convex-hull.ts'
import { heightField } from './height-field.ts'
import type { Model } from './mujoco.ts'

/** Why there is no scene: its meshes are larger than a picture may take. */
export class SceneTooLarge extends Error {
  override readonly name = 'SceneTooLarge'
}

export interface SceneMeshes {
  /** Of all meshes. */
  readonly bytes: number
  readonly meshes: readonly SceneMesh[]
  /** Place in `meshes` of what a shape is drawn with; null for what has none. */
  placeOf(source: Omit<MeshSource, 'textured'>): number | null
}

export interface MeshSource {
  readonly shape: Shape
  /** Number of its mesh or height field in the model. */
  readonly data: number
  /** The convex hull of the mesh, where MuJoCo made one, in its place. */
  readonly hull: boolean
  /** Its material has a picture. Most files say places in one, and most robots have none. */
  readonly textured: boolean
}

type Ints = ArrayLike<number>

/** Throws a `SceneTooLarge` before it copies anything. */
export function sceneMeshes(model: Model, geoms: readonly MeshSource[], maxBytes: number): SceneMeshes {
  const used = [...new Map(geoms.map((one) => [keyOf(one), one]))].filter(
    ([, { shape, data }]) => data >= 0 && (shape === 'mesh' || shape === 'hfield'),
  )
  const textured = new Set(geoms.filter((one) => one.textured && !one.hull).map(keyOf))
  const isPlaced = ([key, { shape, data }]: (typeof used)[number]) =>
    shape === 'mesh' && textured.has(key) && saysPlaces(model, data)
  const sizes = used.map((one) => ({ ...sizeOf(model, one[1]), isPlaced: isPlaced(one) }))
  const bytes = sizes.reduce((sum, one) => sum + meshBytes(one.vertices, one.triangles, one.isPlaced), 0)
  if (bytes > maxBytes) {
    const count = sizes.reduce((sum, { triangles }) => sum + triangles, 0)
    throw new SceneTooLarge(`The visible meshes have ${count} triangles, ${Math.ceil(bytes / 2 ** 20)} MiB of them.`)
  }
  const places = new Map(used.map(([key], at) => [key, at]))
  return {
    bytes,
    meshes: used.map((one) => meshOf(model, one[1], isPlaced(one))),
    placeOf: (one) => places.get(keyOf(one)) ?? null,
  }
}

const keyOf = ({ shape, data, hull }: Omit<MeshSource, 'textured'>) => `${shape} ${data} ${hull}`

function meshOf(model: Model, { shape, data, hull }: MeshSource, isPlaced: boolean): SceneMesh {
  if (shape !== 'mesh') return heightField(model, data)
  return (hull ? convexHull(model, data) : null) ?? meshAt(model, data, isPlaced)
}

/** A hull has no more triangles than its mesh. */
function sizeOf(model: Model, { shape, data: at }: MeshSource): { vertices: number; triangles: number } {
  if (shape === 'mesh')
    return { vertices: (model.mesh_vertnum as Ints)[at] ?? 0, triangles: (model.mesh_facenum as Ints)[at] ?? 0 }
  const [rows, columns] = [(model.hfield_nrow as Ints)[at] ?? 0, (model.hfield_ncol as Ints)[at] ?? 0]
  return { vertices: rows * columns, triangles: 2 * Math.max(0, rows - 1) * Math.max(0, columns - 1) }
}

/** Whether its file says where its corners are in a picture. */
const saysPlaces = (model: Model, at: number) => ((model.mesh_texcoordadr as Ints)[at] ?? -1) >= 0

/** Copies: a view of the engine's memory is void as soon as that grows. */
function meshAt(model: Model, at: number, isPlaced: boolean): SceneMesh {
  const part = (
    values: ArrayLike<number> & { subarray(from: number, to: number): Iterable<number> },
    from: Ints,
    count: Ints,
  ) => {
    const start = 3 * (from[at] ?? 0)
    return values.subarray(start, start + 3 * (count[at] ?? 0))
  }
  return {
    positions: Float32Array.from(part(model.mesh_vert, model.mesh_vertadr, model.mesh_vertnum)),
    triangles: Uint32Array.from(part(model.mesh_face, model.mesh_faceadr, model.mesh_facenum)),
    texcoords: isPlaced
      ? texcoordsOf(model, at, part(model.mesh_facetexcoord, model.mesh_faceadr, model.mesh_facenum))
      : null,
  }
}

/** `corners`: of each corner of each triangle, its number among the places of the mesh. */
function texcoordsOf(model: Model, at: number, corners: Iterable<number>): Float32Array<ArrayBuffer> {
  const start = (model.mesh_texcoordadr as Ints)[at] ?? 0
  const places = model.mesh_texcoord as Ints
  const axis = (corner: number, which: number) => places[2 * (start + corner) + which] ?? 0
  return Float32Array.from([...corners].flatMap((corner) => [axis(corner, 0), axis(corner, 1)]))
}
