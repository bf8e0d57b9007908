/** The interface of a robot from its card as the hub returns it. Pure. */
import type { EmbodimentInterface } from '../../cards/interface-schema.ts'
import { readCard } from '../../cards/read-card.ts'
import { isJsonObject, parseExact } from '../../platform/exact-json.ts'

/** `text`: JSON, since its numbers count as they are written. Null if there is no card, or none with an interface. */
export function faceOf(text: string | null): EmbodimentInterface | null {
  const card = text === null ? null : parseExact(text)
  if (!isJsonObject(card)) return null
  const { interface_fingerprint: _, updated_at: __, ...stored } = card
  return readCard(stored).card?.interface ?? null
}
