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
import { geomColors, geomOpacities, type Surface } from './scene-colors.ts'
import { type MeshSource, sceneMeshes } from './scene-meshes.ts'
import { sceneTextures, textureOf } from './scene-textures.ts'

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

type Engine = Pick<LoadedMujoco, 'mujoco' | 'files'>

/**
 * Throws a `SceneTooLarge` where the meshes take more than `maxBytes`; pictures around shapes have what they leave.
 * `data`: at the pose to show, with `mj_forward` done.
 */
export function readScene(engine: Engine, model: Model, data: Data, maxBytes: number): RobotScene {
  const { geoms, meshes, textures } = drawing(engine, model, { maxBytes, colliding: [], sky: false })
  return { bodies: bodiesAt(model, data), geoms, meshes, textures }
}

/** As `readScene`, with the light of the model and its sky. */
export function readLitScene(engine: Engine, model: Model, data: Data, maxBytes: number): LitScene {
  const { geoms, meshes, textures, sky } = drawing(engine, model, { maxBytes, colliding: [], sky: true })
  const lighting = { ...readLighting(engine, model), sky }
  return { bodies: bodiesAt(model, data), geoms, meshes, textures, lighting }
}

/** As `readLitScene`, with the shapes that collide. */
export function readLayeredScene(engine: Engine, model: Model, data: Data, maxBytes: number): LayeredScene {
  const { sky, ...drawn } = drawing(engine, model, { maxBytes, colliding: collidingGeoms(model), sky: true })
  return { bodies: bodiesAt(model, data), ...drawn, lighting: { ...readLighting(engine, model), sky } }
}

function bodiesAt(model: Model, data: Data): SceneBody[] {
  const [places, orientations] = [numbers(data.xpos), numbers(data.xquat)]
  return numbers(model.body_parentid).map((parent, body) => ({ parent, ...frame(places, orientations, body) }))
}

interface Drawn {
  readonly maxBytes: number
  readonly colliding: readonly DrawnGeom[]
  readonly sky: boolean
}

function drawing(
  engine: Engine,
  model: Model,
  { maxBytes, colliding, sky }: Drawn,
): Omit<LayeredScene, 'bodies' | 'lighting'> & { readonly sky: number | null } {
  const visible = visibleGeoms(model, geomOpacities(model))
  const meshes = sceneMeshes(model, [...visible, ...colliding], maxBytes)
  const materials = numbers(model.geom_matid)
  const pictures = sceneTextures(engine, model, {
    materials: visible.map(({ geom }) => materials[geom] ?? -1).filter((material) => material >= 0),
    sky,
    maxBytes: Math.min(MOST_PICTURE_BYTES, maxBytes - meshes.bytes),
  })
  const colors = geomColors(model, (material) => pictures.wrapOf(material) !== null)
  const [positions, turns] = [numbers(model.geom_pos), numbers(model.geom_quat)]
  const [sizes, bodies] = [numbers(model.geom_size), numbers(model.geom_bodyid)]
  const asGeom = (one: DrawnGeom): SceneGeom => ({
    body: bodies[one.geom] ?? 0,
    shape: one.shape,
    size: vector(sizes, one.geom),
    mesh: meshes.placeOf(one),
    wrap: one.hull ? null : pictures.wrapOf(materials[one.geom] ?? -1),
    ...frame(positions, turns, one.geom),
    ...(colors[one.geom] as Surface),
  })
  return {
    geoms: visible.map(asGeom).filter(isDrawable),
    collision: colliding.map(asGeom).filter(isDrawable),
    meshes: meshes.meshes,
    textures: pictures.textures,
    sky: pictures.sky,
  }
}

/** Of the pictures of one scene, which a page and its graphics card hold once more. */
const MOST_PICTURE_BYTES = 32 * 2 ** 20

interface DrawnGeom extends MeshSource {
  readonly geom: number
}

function collidingGeoms(model: Model): DrawnGeom[] {
  const [touches, isTouched] = [numbers(model.geom_contype), numbers(model.geom_conaffinity)]
  const sources = numbers(model.geom_dataid)
  return numbers(model.geom_type).flatMap((type, geom) => {
    const shape = shapeOfType[type]
    const collides = ((touches[geom] ?? 0) | (isTouched[geom] ?? 0)) !== 0
    return shape && collides ? [{ geom, shape, data: sources[geom] ?? -1, hull: true, textured: false }] : []
  })
}

/** Groups 0 to 2, as MuJoCo's viewer at its start; all of them where a model has nothing in these but ground. */
function visibleGeoms(model: Model, opacities: readonly number[]): DrawnGeom[] {
  const [types, groups, sources] = [numbers(model.geom_type), numbers(model.geom_group), numbers(model.geom_dataid)]
  const materials = numbers(model.geom_matid)
  const textured = (geom: number) => textureOf(model, materials[geom] ?? -1) >= 0
  const all = types.flatMap((type, geom) => {
    const shape = shapeOfType[type]
    return shape && (opacities[geom] ?? 0) > 0
      ? [{ geom, shape, data: sources[geom] ?? -1, hull: false, textured: textured(geom) }]
      : []
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
