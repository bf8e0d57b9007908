/** The interface of a robot from its card as the hub returns it. Pure. */

import { isJsonObject, parseExact } from '@hub/formats/exact-json'
import { interfaceFingerprint } from '@hub/robot-card/fingerprint'
import type { EmbodimentInterface } from '@hub/robot-card/interface-schema'
import { readCard } from '@hub/robot-card/read-card'

export interface RobotFace {
  readonly face: EmbodimentInterface
  /** As the hub computed it, from the card as it was put: the card as it is read has values for what was left out. */
  readonly fingerprint: string
}

/** `text`: JSON, since its numbers count as they are written. Null if there is no card, or none with an interface. */
export function faceOf(text: string | null): RobotFace | null {
  const card = text === null ? null : parseExact(text)
  if (!isJsonObject(card)) return null
  const { interface_fingerprint: known, updated_at: _, ...stored } = card
  const face = readCard(stored).card?.interface ?? null
  if (!face) return null
  const fingerprint = typeof known === 'string' ? known : interfaceFingerprint(face)
  return fingerprint === null ? null : { face, fingerprint }
}
