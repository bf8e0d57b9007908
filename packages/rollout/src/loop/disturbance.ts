/** What makes a rollout harder than the model alone: pushes, another gravity, delay and noise. */
import type { Seeded } from './seeded.ts'
import { at, type Places, type World } from './world.ts'

export interface Disturbance {
  /** Gravity of the model times this. */
  readonly gravity: number
  /** From an observation to the moment that its action acts, in ms. */
  readonly delayMs: number
  /** Deviation of what is added to each number that the policy sees, before scales. */
  readonly observationNoise: number
  /** Deviation of what is added to each raw number of an action. */
  readonly actionNoise: number
  /** A push, in N: sideways on the base, or on the body of the last joint. */
  readonly pushN: number
  readonly pushEveryS: number
  readonly pushForS: number
}

interface Pusher {
  /** Called before each step. `pushN`: now. */
  push(pushN: number): void
}

/** Pushes at equal distances of time, each in a direction of its own. `lastJoint`: place among the joints. */
export function pusher(
  { data }: World,
  places: Places,
  lastJoint: number,
  { pushEveryS, pushForS }: Disturbance,
  random: Seeded,
): Pusher {
  const body = places.base?.body ?? places.bodyOf(lastJoint)
  let current = 0
  let direction: readonly [number, number] = [0, 0]
  return {
    push(pushN) {
      const count = Math.floor(data.time / pushEveryS)
      if (count !== current) {
        current = count
        // Drawn also where nothing is pushed: a push that begins later does not change those after it.
        direction = random.direction()
      }
      const isOn = count > 0 && data.time - count * pushEveryS < pushForS
      for (const [axis, part] of direction.entries()) data.xfrc_applied[6 * body + axis] = isOn ? pushN * part : 0
    },
  }
}

/** The model's gravity, and its change. */
export function gravityOf({ model }: Pick<World, 'model'>) {
  const { gravity } = model.opt
  const own = [at(gravity, 0), at(gravity, 1), at(gravity, 2)]
  return (factor: number) => {
    for (const [axis, value] of own.entries()) model.opt.gravity[axis] = value * factor
  }
}
