/** The messages between a worker and its engine process, in plain JSON. */

import type { ModelFacts } from '@hub/robot-view/physics/model-facts'
import type { EngineLimits } from './limits.ts'

/** A model to compile and step. The process reads the files itself and sees no other. */
export interface EngineJob {
  /** Paths in the repo, each with its path on this machine. */
  readonly files: readonly { readonly path: string; readonly file: string }[]
  readonly entry: string
  /** In the place of what the file of `entry` holds. */
  readonly entryText: string | null
  /** Where the MJCF of a URDF goes; null leaves the model as it is. */
  readonly convertTo: string | null
  /** Position by joint name, over the keyframe or initial pose that the model is stepped from. */
  readonly pose: Readonly<Record<string, number>> | null
  /**
   * Whether the bytes of a scene (`encodeScene`) are written to `SCENE_FD`, and how large its meshes may be; null for
   * none.
   */
  readonly scene: { readonly maxBytes: number } | null
  readonly limits: EngineLimits
}

/** The pipe from the process for the one answer that is not JSON: 0 to 2 are the standard ones, 3 has the messages. */
export const SCENE_FD = 4

/** A joint where something was largest, and how large. */
export interface Extreme {
  readonly joint: string | null
  readonly value: number
}

/** How the model behaved while it was stepped at its default pose. */
export interface SimulationFacts {
  /** `home`, another keyframe, or null for the pose that the joints are written in. */
  readonly keyframe: string | null
  readonly from: 'keyframe' | 'initial'
  readonly simulated_s: number
  /** Less than requested, since stepping took too long. */
  readonly slow: boolean
  /** The first moment at which it was no longer a motion: not finite, or faster than any robot. */
  readonly diverged: { readonly at_s: number; readonly joint: string | null; readonly why: string } | null
  /** Rad/s of hinges and balls. */
  readonly max_angular_speed: Extreme
  /** M/s of slides and free bodies. */
  readonly max_linear_speed: Extreme
  /** Joints that were outside of their range by more than a tolerance: how far, and whether they started there. */
  readonly out_of_range: readonly { readonly joint: string | null; readonly by: number; readonly at_start: boolean }[]
  /** MuJoCo's own words on what went wrong in the steps, one for each kind of trouble. */
  readonly warnings: readonly string[]
  /** Contacts at the start, deepest first. */
  readonly penetrations: readonly { readonly bodies: readonly (string | null)[]; readonly depth_m: number }[]
  readonly contacts_at_start: number
  /** Whether there is something to stand on. */
  readonly has_ground: boolean
  /** Actuators that held the pose: servos of position. */
  readonly holding: number
  /** Of driven joints that a position servo holds: how far each ended from the pose, the farthest first. */
  readonly drift: readonly { readonly joint: string | null; readonly type: 'slide' | 'hinge'; readonly by: number }[]
  /** Of each root with a free joint. */
  readonly bases: readonly {
    readonly body: string | null
    readonly height_start_m: number
    readonly height_end_m: number
    readonly moved_m: number
    readonly tilted_rad: number
  }[]
}

/** From the process, in this order; `refused` and `failed` end it. */
export type FromEngine =
  | { readonly kind: 'ready'; readonly version: string }
  | { readonly kind: 'log'; readonly line: string }
  | { readonly kind: 'converted'; readonly text: string }
  | { readonly kind: 'compiled'; readonly facts: ModelFacts }
  | { readonly kind: 'stepped'; readonly simulation: SimulationFacts }
  /** All bytes of the scene were written, so many; or there is none, and why. */
  | { readonly kind: 'drawn'; readonly sceneBytes: number }
  | { readonly kind: 'undrawn'; readonly why: string }
  /** MuJoCo's message. `stage`: for a URDF, the source or the converted model. */
  | { readonly kind: 'refused'; readonly error: string; readonly stage: 'source' | 'converted' }
  /** The engine crashed. `memory`: it needed more than its limit. */
  | { readonly kind: 'failed'; readonly error: string; readonly memory: boolean }
