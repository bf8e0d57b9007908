/**
 * What a compiled model looks like at its default pose, for a picture: the shapes that MuJoCo's own viewer shows, their
 * colours, and where they are.
 */
import type {
  Frame,
  LayeredScene,
  LitScene,
  Quaternion,
  RobotScene,
  SceneBody,
  SceneGeom,
  Shape,
  Vector,
} from '../scene/scene.ts'
import { numbers } from './arrays.ts'
import type { Data, LoadedMujoco, Model } from './mujoco.ts'
import { readLighting } from './read-lighting.ts'
import { geomColors, type Surface } from './scene-colors.ts'
import { type MeshSource, sceneMeshes } from './scene-meshes.ts'

/** By MuJoCo's number of a type (`mjtGeom`); a signed distance field has a mesh. */
const shapeOfType: readonly Shape[] = [
  'plane',
  'hfield',
  'sphere',
  'capsule',
  'ellipsoid',
  'cylinder',
  'box',
  'mesh',
  'mesh',
]

/**
 * Throws a `SceneTooLarge` where the meshes take more than `maxBytes`. `data`: at the pose to show, with `mj_forward`
 * done.
 */
export function readScene(model: Model, data: Data, maxBytes: number): RobotScene {
  const drawn = drawing(model, maxBytes, [])
  return { bodies: bodiesAt(model, data), geoms: drawn.geoms, meshes: drawn.meshes }
}

/** As `readScene`, with the light of the model. */
export function readLitScene(
  engine: Pick<LoadedMujoco, 'mujoco' | 'files'>,
  model: Model,
  data: Data,
  maxBytes: number,
): LitScene {
  return { ...readScene(model, data, maxBytes), lighting: readLighting(engine, model) }
}

/** As `readScene`, with the shapes that collide and the light of the model. */
export function readLayeredScene(
  engine: Pick<LoadedMujoco, 'mujoco' | 'files'>,
  model: Model,
  data: Data,
  maxBytes: number,
): LayeredScene {
  const drawn = drawing(model, maxBytes, collidingGeoms(model))
  return { bodies: bodiesAt(model, data), ...drawn, lighting: readLighting(engine, model) }
}

function bodiesAt(model: Model, data: Data): SceneBody[] {
  const [places, orientations] = [numbers(data.xpos), numbers(data.xquat)]
  return numbers(model.body_parentid).map((parent, body) => ({ parent, ...frame(places, orientations, body) }))
}

function drawing(
  model: Model,
  maxBytes: number,
  colliding: readonly DrawnGeom[],
): Omit<LayeredScene, 'bodies' | 'lighting'> {
  const colors = geomColors(model)
  const visible = visibleGeoms(model, colors)
  const meshes = sceneMeshes(model, [...visible, ...colliding], maxBytes)
  const [positions, turns] = [numbers(model.geom_pos), numbers(model.geom_quat)]
  const [sizes, bodies] = [numbers(model.geom_size), numbers(model.geom_bodyid)]
  const asGeom = (one: DrawnGeom): SceneGeom => ({
    body: bodies[one.geom] ?? 0,
    shape: one.shape,
    size: vector(sizes, one.geom),
    mesh: meshes.placeOf(one),
    ...frame(positions, turns, one.geom),
    ...(colors[one.geom] as Surface),
  })
  return {
    geoms: visible.map(asGeom).filter(isDrawable),
    collision: colliding.map(asGeom).filter(isDrawable),
    meshes: meshes.meshes,
  }
}

interface DrawnGeom extends MeshSource {
  readonly geom: number
}

function collidingGeoms(model: Model): DrawnGeom[] {
  const [touches, isTouched] = [numbers(model.geom_contype), numbers(model.geom_conaffinity)]
  const sources = numbers(model.geom_dataid)
  return numbers(model.geom_type).flatMap((type, geom) => {
    const shape = shapeOfType[type]
    const collides = ((touches[geom] ?? 0) | (isTouched[geom] ?? 0)) !== 0
    return shape && collides ? [{ geom, shape, data: sources[geom] ?? -1, hull: true }] : []
  })
}

/** Groups 0 to 2, as MuJoCo's viewer at its start; all of them where a model has nothing in these but ground. */
function visibleGeoms(model: Model, colors: readonly Surface[]): DrawnGeom[] {
  const [types, groups, sources] = [numbers(model.geom_type), numbers(model.geom_group), numbers(model.geom_dataid)]
  const all = types.flatMap((type, geom) => {
    const shape = shapeOfType[type]
    const opacity = colors[geom]?.color[3] ?? 0
    return shape && opacity > 0 ? [{ geom, shape, data: sources[geom] ?? -1, hull: false }] : []
  })
  const shown = all.filter(({ geom }) => (groups[geom] ?? 0) <= LAST_SHOWN_GROUP)
  const isSolid = ({ shape }: DrawnGeom) => shape !== 'plane' && shape !== 'hfield'
  return withoutCollisionShapes(model, shown.some(isSolid) ? shown : all)
}

const LAST_SHOWN_GROUP = 2

/**
 * Where a body has meshes that touch nothing (they are there to be seen), its shapes of other groups that touch are
 * left out: a converted URDF has both kinds in groups that are shown, one over the other.
 */
function withoutCollisionShapes(model: Model, shown: readonly DrawnGeom[]): DrawnGeom[] {
  const [touches, isTouched] = [numbers(model.geom_contype), numbers(model.geom_conaffinity)]
  const [bodies, groups] = [numbers(model.geom_bodyid), numbers(model.geom_group)]
  const collides = ({ geom }: DrawnGeom) => ((touches[geom] ?? 0) | (isTouched[geom] ?? 0)) !== 0
  const visual = new Map<number, number>()
  for (const one of shown)
    if (one.shape === 'mesh' && !collides(one)) visual.set(bodies[one.geom] ?? 0, groups[one.geom] ?? 0)
  return shown.filter((one) => {
    const group = visual.get(bodies[one.geom] ?? 0)
    return group === undefined || one.shape === 'plane' || !collides(one) || groups[one.geom] === group
  })
}

function vector(values: readonly number[], at: number): Vector {
  return [values[3 * at] ?? 0, values[3 * at + 1] ?? 0, values[3 * at + 2] ?? 0]
}

/** MuJoCo writes the real part of a quaternion first. */
function frame(positions: readonly number[], turns: readonly number[], at: number): Frame {
  const [w, x, y, z] = [turns[4 * at] ?? 1, turns[4 * at + 1] ?? 0, turns[4 * at + 2] ?? 0, turns[4 * at + 3] ?? 0]
  const quaternion: Quaternion = [x, y, z, w]
  return { position: vector(positions, at), quaternion }
}

/** A shape whose mesh is missing, or whose numbers are none, cannot be drawn. */
function isDrawable({ shape, mesh, position, quaternion, size }: SceneGeom): boolean {
  const hasMesh = mesh !== null || (shape !== 'mesh' && shape !== 'hfield')
  return hasMesh && [...position, ...quaternion, ...size].every(Number.isFinite)
}
