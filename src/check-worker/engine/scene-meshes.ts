/** The meshes and height fields that visible geoms of a compiled model use, each once. */

import type { SceneMesh, Shape } from '../../robot-scene/scene.ts'
import { meshBytes } from '../../robot-scene/scene-bytes.ts'
import { heightField } from './height-field.ts'
import type { Model } from './mujoco.ts'

/** Why there is no scene: its meshes are larger than a picture may take. */
export class SceneTooLarge extends Error {
  override readonly name = 'SceneTooLarge'
}

export interface SceneMeshes {
  readonly meshes: readonly SceneMesh[]
  /** Place in `meshes` of a model's mesh or height field; null for what has none. */
  placeOf(shape: Shape, data: number): number | null
}

type Ints = ArrayLike<number>

/** Throws a `SceneTooLarge` before it copies anything. */
export function sceneMeshes(
  model: Model,
  geoms: readonly { readonly shape: Shape; readonly data: number }[],
  maxBytes: number,
): SceneMeshes {
  const used = [...new Map(geoms.map(({ shape, data }) => [keyOf(shape, data), { shape, data }]))].filter(
    ([, { shape, data }]) => data >= 0 && (shape === 'mesh' || shape === 'hfield'),
  )
  const sizes = used.map(([, one]) => sizeOf(model, one.shape, one.data))
  const bytes = sizes.reduce((sum, { vertices, triangles }) => sum + meshBytes(vertices, triangles), 0)
  if (bytes > maxBytes) {
    const count = sizes.reduce((sum, { triangles }) => sum + triangles, 0)
    throw new SceneTooLarge(`The visible meshes have ${count} triangles, ${Math.ceil(bytes / 2 ** 20)} MiB of them.`)
  }
  const places = new Map(used.map(([key], at) => [key, at]))
  return {
    meshes: used.map(([, { shape, data }]) => (shape === 'mesh' ? meshAt(model, data) : heightField(model, data))),
    placeOf: (shape, data) => places.get(keyOf(shape, data)) ?? null,
  }
}

const keyOf = (shape: Shape, data: number) => `${shape} ${data}`

function sizeOf(model: Model, shape: Shape, at: number): { vertices: number; triangles: number } {
  if (shape === 'mesh')
    return { vertices: (model.mesh_vertnum as Ints)[at] ?? 0, triangles: (model.mesh_facenum as Ints)[at] ?? 0 }
  const [rows, columns] = [(model.hfield_nrow as Ints)[at] ?? 0, (model.hfield_ncol as Ints)[at] ?? 0]
  return { vertices: rows * columns, triangles: 2 * Math.max(0, rows - 1) * Math.max(0, columns - 1) }
}

/** Copies: a view of the engine's memory is void as soon as that grows. */
function meshAt(model: Model, at: number): SceneMesh {
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
  }
}
