/** What the static reading of a model says about a robot's card. */
import type { ModelReading } from '@hub/mjcf/reading'

/** A card in the names of `/v1`: RobotCardPut of the spec, as far as a model file says it. */
export interface DraftCard {
  readonly dof: number
  readonly actuators: readonly { readonly name: string }[]
  readonly mjcf_path: string
  readonly description_md: null
  readonly interface: null
}

/**
 * The card that follows from a reading. `dof` counts hinges and slides, as the check of a card does; the interface
 * needs answers that no model file has.
 */
export function draftCard(reading: ModelReading, entry: string): DraftCard {
  return {
    dof: reading.joints.filter(({ type }) => type === 'hinge' || type === 'slide').length,
    actuators: reading.names.actuators.map((name) => ({ name })),
    mjcf_path: entry,
    description_md: null,
    interface: null,
  }
}
