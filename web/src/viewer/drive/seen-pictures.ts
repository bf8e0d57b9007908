/** Pictures of the model's cameras, as a policy gets them: drawn once, for it and for the person who watches. */

import { sightsAt } from '@hub/robot-view/scene/eye-of'
import type { CameraFacts } from '@hub/robot-view/scene/scene'
import type { Sight } from '@hub/robot-view/scene/sights'
import type { AskedPicture } from '@hub/rollout/loop/eyes'
import type { SeeRequest, ToDrive } from './drive-protocol.ts'

/** What a policy sees now. */
export interface SeenPicture extends AskedPicture {
  /** Red, green, blue and opacity of each pixel, row by row from the top; of its hearer alone. */
  readonly pixels: Uint8ClampedArray<ArrayBuffer>
}

type Answer = Extract<ToDrive, { readonly kind: 'seen' | 'unseen' }>

/**
 * The answer to the worker. `draw`: null where nothing is shown. `hear`: gets what the policy sees, unless nothing was
 * drawn.
 */
export function seenBy(
  { id, asked, bodies, cameras }: SeeRequest,
  facts: readonly CameraFacts[],
  draw: ((bodies: ArrayLike<number>, sights: readonly Sight[]) => Uint8Array<ArrayBuffer>[]) | null,
  hear: (pictures: readonly SeenPicture[]) => void,
): Answer {
  if (!draw) return { kind: 'unseen', id, why: 'The robot is not shown any more.' }
  try {
    const pictures = draw(bodies, sightsAt(asked, facts, cameras))
    // The pixels themselves go to the worker.
    hear(asked.map((one, at) => ({ ...one, pixels: new Uint8ClampedArray(pictures[at] ?? []) })))
    return { kind: 'seen', id, pictures }
  } catch (error) {
    return { kind: 'unseen', id, why: error instanceof Error ? error.message : String(error) }
  }
}
