/** The robot of a scene as three.js draws it: one group for each body, so that a later pose moves groups and builds nothing again. */
import { type BufferGeometry, Color, DoubleSide, Group, Mesh, MeshStandardMaterial, SRGBColorSpace } from 'three'
import { geometryOf } from './geometry.ts'
import type { Frame, RobotScene, SceneGeom } from './scene.ts'

export interface RobotGroup {
  readonly root: Group
  /** In the order of the scene's bodies. */
  readonly bodies: readonly Group[]
}

/** Draws `geoms` of the scene, in metres. */
export function robotGroup(scene: RobotScene, geoms: readonly SceneGeom[]): RobotGroup {
  const root = new Group()
  const bodies = scene.bodies.map((body) => {
    const group = new Group()
    place(group, body)
    root.add(group)
    return group
  })
  const materials = new Map<string, MeshStandardMaterial>()
  const surfaces = new Map<number, BufferGeometry | null>()
  for (const geom of geoms) {
    const surface = shared(surfaces, geom.mesh, () => geometryOf(geom, scene.meshes))
    if (!surface) continue
    const mesh = new Mesh(
      surface,
      shared(materials, materialKey(geom), () => materialOf(geom)),
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

/** Black shows no shape. */
const DARKEST = 0.12

/** Both sides: meshes of robots are often open, or turned inside out. */
function materialOf({ color: [red, green, blue, opacity], roughness, metalness, emission }: SceneGeom) {
  const [r, g, b] = [red, green, blue].map((part) => DARKEST + (1 - DARKEST) * part)
  const color = new Color().setRGB(r ?? 0, g ?? 0, b ?? 0, SRGBColorSpace)
  return new MeshStandardMaterial({
    color,
    roughness,
    metalness,
    emissive: color,
    emissiveIntensity: emission,
    transparent: opacity < 1,
    opacity,
    depthWrite: opacity > 0.5,
    side: DoubleSide,
  })
}

function place(object: Group | Mesh, { position, quaternion }: Frame): void {
  object.position.set(...position)
  object.quaternion.set(...quaternion)
}
