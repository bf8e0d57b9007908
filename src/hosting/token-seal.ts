/** Sealing of the key of a hosted job from the transaction that creates it until its call is spawned. */
import { openSealed, seal } from '../store/seal.ts'

const PURPOSE = 'hosted job keys'

export interface TokenSeal {
  seal(token: string): Buffer
  /** Throws a `SealError` if HUB_SECRET has changed since. */
  open(sealed: Uint8Array): string
}

/** Under a key of its own, derived from HUB_SECRET. */
export function tokenSeal(secret: string): TokenSeal {
  return {
    seal: (token) => seal(secret, PURPOSE, Buffer.from(token)),
    open: (sealed) => openSealed(secret, PURPOSE, sealed).toString(),
  }
}
