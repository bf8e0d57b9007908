/** A URDF as MuJoCo is given it. */

import { answeredUrdf } from '@hub/check-worker/urdf/answered-urdf'
import { ModelRefusal } from '@hub/mjcf/fault'

/** The document with a floating base where `base` says so, as a check writes it; null where it stays as it is. */
export function textOfEntry(bytes: Uint8Array | null, entry: string, base: string | null): string | null {
  try {
    return bytes && answeredUrdf(bytes, entry, { base, discardVisual: null }).text
  } catch (error) {
    if (error instanceof ModelRefusal) return null
    throw error
  }
}
