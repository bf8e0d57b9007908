/**
 * The robot of a scene as three.js draws it: one group for each body, so that a later pose moves groups and builds
 * nothing again.
 */
import { type BufferGeometry, Group, type Material, Mesh } from 'three'
import type { Finish } from './finish.ts'
import { geometryOf } from './geometry.ts'
import type { Frame, RobotScene, SceneGeom } from './scene.ts'

export interface RobotGroup {
  readonly root: Group
  /** In the order of the scene's bodies. */
  readonly bodies: readonly Group[]
}

/** Draws `geoms` of the scene, in metres. */
export function robotGroup(scene: RobotScene, geoms: readonly SceneGeom[], finish: Finish): RobotGroup {
  const root = new Group()
  const bodies = scene.bodies.map((body) => {
    const group = new Group()
    place(group, body)
    root.add(group)
    return group
  })
  const materials = new Map<string, Material>()
  const surfaces = new Map<number, BufferGeometry | null>()
  for (const geom of geoms) {
    const surface = shared(surfaces, geom.mesh, () => geometryOf(geom, scene.meshes))
    if (!surface) continue
    const mesh = new Mesh(
      surface,
      shared(materials, materialKey(geom), () => finish(geom)),
    )
    mesh.castShadow = true
    mesh.receiveShadow = true
    place(mesh, geom)
    bodies[geom.body]?.add(mesh)
  }
  return { root, bodies }
}

function shared<Key, Value>(known: Map<Key, Value>, key: Key | null, make: () => Value): Value {
  if (key === null) return make()
  const found = known.get(key) ?? make()
  known.set(key, found)
  return found
}

const materialKey = ({ color, roughness, metalness, emission }: SceneGeom) =>
  [...color, roughness, metalness, emission].join(' ')

function place(object: Group | Mesh, { position, quaternion }: Frame): void {
  object.position.set(...position)
  object.quaternion.set(...quaternion)
}
