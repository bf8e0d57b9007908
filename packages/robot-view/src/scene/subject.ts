/** What of a scene is the robot: the part that a picture shows and is framed on. Pure. */
import { type Box, boxAround, diagonal, emptyBox, placed, united } from './frames.ts'
import type { RobotScene, SceneGeom, Vector } from './scene.ts'

export interface Subject {
  readonly geoms: readonly SceneGeom[]
  readonly box: Box
  /** Height of the ground below it. */
  readonly floor: number
}

/**
 * Ground is never part of it. What belongs to the world itself (a table, walls, and also the base link of a URDF, which
 * MuJoCo makes part of the world) is, unless it is large next to the bodies.
 */
export function subjectOf(scene: RobotScene): Subject {
  const solid = scene.geoms.filter((geom) => !isGround(geom))
  const moving = solid.filter(({ body }) => body !== 0)
  const fixed = solid.filter(({ body }) => body === 0)
  const core = boxOf(scene, moving)
  const limit = MAX_FIXED_SHARE * diagonal(core)
  const kept = fixed.filter((geom) => {
    const own = boxOf(scene, [geom])
    return diagonal(own) <= limit && diagonal(united(own, core)) <= 2 * limit
  })
  const geoms = moving.length > 0 ? [...moving, ...kept] : fixed
  const box = boxOf(scene, geoms)
  return { geoms, box, floor: floorBelow(scene, box) }
}

/** Of a fixed shape next to the robot: a pedestal is no larger than its robot. */
const MAX_FIXED_SHARE = 1

const isGround = ({ shape }: SceneGeom) => shape === 'plane' || shape === 'hfield'

/**
 * Hands each outermost point of geoms to `each`, in the frame of the world: all vertices of a mesh, and the corners of
 * the box around other shapes.
 */
export function eachPoint(scene: RobotScene, geoms: readonly SceneGeom[], each: (point: Vector) => void): void {
  for (const geom of geoms) {
    const body = scene.bodies[geom.body]
    if (!body) continue
    for (const point of pointsOf(scene, geom)) each(placed(placed(point, geom), body))
  }
}

function* pointsOf({ meshes }: RobotScene, { mesh, shape, size }: SceneGeom): Generator<Vector> {
  const positions = mesh === null ? undefined : meshes[mesh]?.positions
  if (positions) {
    for (let at = 0; at + 2 < positions.length; at += 3)
      yield [positions[at] ?? 0, positions[at + 1] ?? 0, positions[at + 2] ?? 0]
    return
  }
  const [x, y, z] = extentOf(shape, size)
  for (const corner of corners) yield [x * corner[0], y * corner[1], z * corner[2]]
}

const signs = [-1, 1]
const corners = signs.flatMap((x) => signs.flatMap((y) => signs.map((z): Vector => [x, y, z])))

/** Half the lengths of the box around a shape. */
function extentOf(shape: SceneGeom['shape'], [a, b, c]: Vector): Vector {
  if (shape === 'sphere') return [a, a, a]
  if (shape === 'capsule') return [a, a, b + a]
  if (shape === 'cylinder') return [a, a, b]
  if (shape === 'plane') return [a, b, 0]
  return [a, b, c]
}

function boxOf(scene: RobotScene, geoms: readonly SceneGeom[]): Box {
  return geoms.length === 0 ? emptyBox : boxAround((each) => eachPoint(scene, geoms, each))
}

/**
 * A plane counts as ground where it is level and not far from the robot's feet: a drone may hover over it, a robot may
 * sink a little.
 */
function floorBelow({ bodies, geoms }: RobotScene, box: Box): number {
  const [bottom, size] = [box.min[2], diagonal(box)]
  const heights = geoms.flatMap((geom) => {
    const body = bodies[geom.body]
    if (geom.shape !== 'plane' || !body) return []
    const [at, above] = [placed(placed([0, 0, 0], geom), body), placed(placed([0, 0, 1], geom), body)]
    return above[2] - at[2] > LEVEL ? [at[2]] : []
  })
  const near = heights.filter((height) => height < bottom + 0.1 * size && height > bottom - 0.5 * size)
  return near.length === 0 ? bottom : Math.max(...near)
}

const LEVEL = 0.99
