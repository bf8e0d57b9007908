/** The fingerprint of an interface. The rule and vectors to test against are in docs/robot-cards.md. */
import { canonicalSha256 } from '@hub/formats/canonical-hash'
import type { EmbodimentInterface } from './interface-schema.ts'

/** `canonicalSha256` of the interface: list order matters. Null if there is no interface. */
export function interfaceFingerprint(value: EmbodimentInterface | null | undefined): string | null {
  return value ? canonicalSha256(value) : null
}
