/**
 * Keys derived from HUB_SECRET, one for each purpose, and sealing under them (AES-256-GCM) of what the database or a
 * cookie keeps secret.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32

/**
 * 32 bytes: a separate key for each use of HUB_SECRET (RFC 5869), so that a value sealed for one use does not open for
 * another.
 */
export function deriveKey(secret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, 'hub', purpose, KEY_BYTES))
}

/** The data was sealed with another secret. */
export class SealError extends Error {}

/** Nonce (12 bytes), ciphertext, tag (16 bytes). */
export function seal(secret: string, purpose: string, plain: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', deriveKey(secret, purpose), nonce)
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** Opens what `seal` sealed. Throws a `SealError` if the secret, the purpose or any bit differs. */
export function openSealed(secret: string, purpose: string, sealed: Uint8Array): Buffer {
  const body = sealed.subarray(NONCE_BYTES, -TAG_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', deriveKey(secret, purpose), sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
  try {
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(body), decipher.final()])
  } catch (cause) {
    throw new SealError('HUB_SECRET is not the one that this was sealed with.', { cause })
  }
}
