/** The cameras of a compiled model. */
import type { CameraFacts } from '../scene/scene.ts'
import { numbers } from './arrays.ts'
import type { Data, Model } from './mujoco.ts'
import { namesOf } from './read-facts.ts'

/** `mjtProjection`. */
const PERSPECTIVE = 0

/** In the model's order. */
export function readCameras(model: Model): CameraFacts[] {
  const sizes = numbers(model.cam_resolution)
  const [angles, projections] = [numbers(model.cam_fovy), numbers(model.cam_projection)]
  return namesOf(model).cameras.map((name, at) => {
    const [width, height] = [sizes[2 * at] ?? 0, sizes[2 * at + 1] ?? 0]
    // 1x1 is MuJoCo's default: none is said.
    const resolution = width > 1 && height > 1 ? ([width, height] as const) : null
    return { name, field_of_view: angles[at] ?? 45, resolution, perspective: projections[at] === PERSPECTIVE }
  })
}

/** Twelve numbers of each camera at the current pose: its position in the world, and its rotation matrix row by row. */
export function camerasAt(data: Data, count: number): Float32Array<ArrayBuffer> {
  const [places, turns] = [data.cam_xpos as ArrayLike<number>, data.cam_xmat as ArrayLike<number>]
  const found = new Float32Array(12 * count)
  for (let camera = 0; camera < count; camera += 1) {
    for (let part = 0; part < 3; part += 1) found[12 * camera + part] = places[3 * camera + part] ?? 0
    for (let part = 0; part < 9; part += 1) found[12 * camera + 3 + part] = turns[9 * camera + part] ?? 0
  }
  return found
}
