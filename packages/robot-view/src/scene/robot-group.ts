/**
 * The robot of a scene as three.js draws it: one group for each body, so that a later pose moves groups and builds
 * nothing again.
 */
import { type BufferGeometry, Group, type Material, Mesh } from 'three'
import { followCameras } from './endless-plane.ts'
import type { Finish } from './finish.ts'
import { geometryOf } from './geometry.ts'
import { picturesOf } from './pictures.ts'
import type { Frame, RobotScene, SceneGeom } from './scene.ts'

export interface RobotGroup {
  readonly root: Group
  /** In the order of the scene's bodies. */
  readonly bodies: readonly Group[]
}

/** By their places among the scene's meshes. */
export type Surfaces = Map<number, BufferGeometry | null>

export interface DrawnGroup extends RobotGroup {
  readonly surfaces: Surfaces
}

/** Draws `geoms` of the scene, in metres. `surfaces`: of another group of the same scene, to be drawn again. */
export function robotGroup(
  scene: RobotScene,
  geoms: readonly SceneGeom[],
  finish: Finish,
  surfaces: Surfaces = new Map(),
): DrawnGroup {
  const root = new Group()
  const bodies = scene.bodies.map((body) => {
    const group = new Group()
    place(group, body)
    root.add(group)
    return group
  })
  const materials = new Map<string, Material>()
  const pictures = finish.pictures ? picturesOf(scene, finish.pictures) : null
  const materialOf = (geom: SceneGeom) => {
    const material = finish.of(geom, pictures?.flatOf(geom) ?? null)
    pictures?.wrapCube(material, geom)
    return material
  }
  for (const geom of geoms) {
    const surface = shared(surfaces, geom.mesh, () => geometryOf(geom, scene))
    if (!surface) continue
    const mesh = new Mesh(
      surface,
      shared(materials, materialKey(geom), () => materialOf(geom)),
    )
    mesh.castShadow = true
    mesh.receiveShadow = true
    place(mesh, geom)
    // A cube is looked up by where a point is in the shape: it would move along.
    if (!pictures?.isCube(geom)) followCameras(mesh, geom)
    bodies[geom.body]?.add(mesh)
  }
  return { root, bodies, surfaces }
}

/** `places`: seven numbers of each body, its position, then w, x, y, z of its quaternion. */
export function placeBodies({ bodies }: RobotGroup, places: ArrayLike<number>): void {
  const at = (index: number) => places[index] ?? 0
  for (const [body, group] of bodies.entries()) {
    const start = 7 * body
    group.position.set(at(start), at(start + 1), at(start + 2))
    group.quaternion.set(at(start + 4), at(start + 5), at(start + 6), at(start + 3))
  }
}

function shared<Key, Value>(known: Map<Key, Value>, key: Key | null, make: () => Value): Value {
  if (key === null) return make()
  const found = known.get(key) ?? make()
  known.set(key, found)
  return found
}

/** A picture lies on each shape by its size. */
const materialKey = ({ color, roughness, metalness, emission, wrap, shape, size, mesh }: SceneGeom) =>
  [...color, roughness, metalness, emission, ...(wrap ? [shape, ...size, mesh, JSON.stringify(wrap)] : [])].join(' ')

function place(object: Group | Mesh, { position, quaternion }: Frame): void {
  object.position.set(...position)
  object.quaternion.set(...quaternion)
}
