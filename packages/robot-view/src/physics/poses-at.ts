/** Where bodies and cameras of a compiled model are, as pictures of it need them. */
import type { Data, Model } from './mujoco.ts'
import { camerasAt } from './read-cameras.ts'

interface Poses {
  /** Seven numbers of each body in the frame of the world: position in m, then w, x, y, z of its quaternion. */
  readonly bodies: Float32Array<ArrayBuffer>
  /** As `camerasAt` has them. */
  readonly cameras: Float32Array<ArrayBuffer>
}

/** `cameras`: how many the model has. */
export const posesAt = (model: Model, data: Data, cameras: number): Poses => ({
  bodies: bodiesAt(model, data),
  cameras: camerasAt(data, cameras),
})

/** Of all bodies: see `Poses`. */
export function bodiesAt(model: Model, data: Data): Float32Array<ArrayBuffer> {
  const [places, turns] = [data.xpos as ArrayLike<number>, data.xquat as ArrayLike<number>]
  const found = new Float32Array(7 * model.nbody)
  for (let body = 0; body < model.nbody; body += 1) {
    for (let part = 0; part < 3; part += 1) found[7 * body + part] = places[3 * body + part] ?? 0
    for (let part = 0; part < 4; part += 1) found[7 * body + 3 + part] = turns[4 * body + part] ?? 0
  }
  return found
}
