/** Small scenes for tests. */
import type { RobotScene, SceneBody, SceneGeom, SceneMesh } from '../../src/scene/scene.ts'

const frame = { position: [0, 0, 0], quaternion: [0, 0, 0, 1] } as const

const world: SceneBody = { parent: 0, ...frame }

const body = (position: SceneBody['position']): SceneBody => ({ ...world, position })

/** A grey unit box of the first body below the world, unless `said` says otherwise. */
export function geom(said: Partial<SceneGeom> = {}): SceneGeom {
  const surface = { color: [0.5, 0.5, 0.5, 1], roughness: 0.6, metalness: 0, emission: 0 } as const
  return { body: 1, shape: 'box', size: [0.5, 0.5, 0.5], mesh: null, wrap: null, ...frame, ...surface, ...said }
}

/** A scene of one body at (0, 0, 1) over the world. */
export function scene(geoms: readonly SceneGeom[], meshes: readonly SceneMesh[] = []): RobotScene {
  return { bodies: [world, body([0, 0, 1])], geoms, meshes, textures: [] }
}

/** The corner of a cube: three facets that meet at right angles. */
export const corner: SceneMesh = {
  positions: Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]),
  triangles: Uint32Array.from([0, 2, 1, 0, 1, 3, 0, 3, 2]),
  texcoords: null,
}
