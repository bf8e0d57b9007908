/** What lights a compiled model, as the pictures of its cameras show it. */
import type { Lamp, Lighting, Vector } from '../scene/scene.ts'
import { numbers } from './arrays.ts'
import type { LoadedMujoco, Model } from './mujoco.ts'
import { printedFlags } from './printed-flags.ts'
import { meanColor } from './scene-colors.ts'

/** By MuJoCo's number of a type (`mjtLightType`); one that shines by a picture is left out. */
const lampTypes = ['spot', 'directional', 'point'] as const

/** MuJoCo draws with eight, and the one at the camera is the first. */
const MAX_LAMPS = 7

/** `mjtTexture`: the sky. */
const SKYBOX = 2

/** Lamps, the light at the camera, what is behind everything, and how near and far a camera sees. */
export function readLighting(
  { mujoco, files }: Pick<LoadedMujoco, 'mujoco' | 'files'>,
  model: Model,
): Omit<Lighting, 'sky'> {
  const { headlight, map } = model.vis
  const { extent } = model.stat
  const isLit = headlight.active !== 0
  const count = numbers(model.light_type).length
  const active = count === 0 ? null : printedFlags(mujoco, files, model)('light_active', count)
  const lamps = lampsOf(model, active)
  const own = isLit ? three(headlight.ambient, 0) : NONE
  return {
    ambient: lamps.reduce((sum, { ambient }) => added(sum, ambient), own),
    headlight: isLit ? three(headlight.diffuse, 0) : NONE,
    lamps: lamps.map(({ lamp }) => lamp),
    backdrop: backdropOf(model),
    near: map.znear * extent,
    far: map.zfar * extent,
  }
}

const NONE: Vector = [0, 0, 0]

const added = ([a, b, c]: Vector, [x, y, z]: Vector): Vector => [a + x, b + y, c + z]

const three = (values: ArrayLike<number>, at: number): Vector => [
  values[3 * at] ?? 0,
  values[3 * at + 1] ?? 0,
  values[3 * at + 2] ?? 0,
]

/** `active`: null where that is not known; most are. */
function lampsOf(model: Model, active: readonly boolean[] | null): { readonly lamp: Lamp; readonly ambient: Vector }[] {
  const [bodies, cutoffs] = [numbers(model.light_bodyid), numbers(model.light_cutoff)]
  const [places, turns] = [numbers(model.light_pos), numbers(model.light_dir)]
  const [colors, ambient] = [numbers(model.light_diffuse), numbers(model.light_ambient)]
  const lit = numbers(model.light_type).flatMap((type, at) => {
    const kind = lampTypes[type]
    if (!kind || active?.[at] === false) return []
    const [position, direction] = [three(places, at), three(turns, at)]
    const lamp = {
      kind,
      body: bodies[at] ?? 0,
      position,
      direction,
      color: three(colors, at),
      cutoff: cutoffs[at] ?? 45,
    }
    return [{ lamp, ambient: three(ambient, at) }]
  })
  return lit.slice(0, MAX_LAMPS)
}

/** The mean of the sky, which is black without one. */
function backdropOf(model: Model): Vector {
  const sky = numbers(model.tex_type).indexOf(SKYBOX)
  return sky < 0 ? NONE : meanColor(model, sky)
}
