/**
 * The box of even density that has a body's mass and inertia: what MuJoCo's own viewer draws for it. Pure but for the
 * model it reads.
 */
import type { Frame, Vector } from '../scene/scene.ts'
import { numbers } from './arrays.ts'
import type { Model } from './mujoco.ts'

export interface BodyMass {
  /** In kg. */
  readonly mass: number
  /** Half lengths in m, in the frame of the body; null where the body has no mass. */
  readonly box: (Frame & { readonly size: Vector }) | null
}

/** Half lengths of the box, from a mass in kg and the three main moments in kg·m². */
export function boxOfInertia(mass: number, [x, y, z]: Vector): Vector {
  const half = (twice: number) => Math.sqrt(Math.max(0, (1.5 * twice) / mass))
  return [half(y + z - x), half(x + z - y), half(x + y - z)]
}

/** In the order of the bodies; the world is the first one. */
export function readMasses(model: Model): BodyMass[] {
  const [inertias, places, turns] = [model.body_inertia, model.body_ipos, model.body_iquat].map(numbers)
  const three = (values: readonly number[] | undefined, at: number): Vector => [
    values?.[3 * at] ?? 0,
    values?.[3 * at + 1] ?? 0,
    values?.[3 * at + 2] ?? 0,
  ]
  return numbers(model.body_mass).map((mass, body) => {
    if (!(mass > 0)) return { mass, box: null }
    const [w, x, y, z] = [0, 1, 2, 3].map((part) => turns?.[4 * body + part] ?? 0)
    return {
      mass,
      box: {
        size: boxOfInertia(mass, three(inertias, body)),
        position: three(places, body),
        quaternion: [x ?? 0, y ?? 0, z ?? 0, w ?? 1],
      },
    }
  })
}
