/** Sealing with HUB_SECRET: AES-256-GCM under a key of its own for each purpose, so that what is sealed for one opens for no other. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** The 32-byte key of one purpose. */
export function sealingKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'hub', purpose, 32))
}

/** nonce (12 bytes) · ciphertext · tag (16 bytes). */
export function seal(secret: string, purpose: string, plain: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', sealingKey(secret, purpose), nonce)
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** What `seal` sealed. Throws where the secret is another or a bit differs. */
export function openSealed(secret: string, purpose: string, sealed: Buffer): Buffer {
  const body = sealed.subarray(NONCE_BYTES, -TAG_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', sealingKey(secret, purpose), sealed.subarray(0, NONCE_BYTES))
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(body), decipher.final()])
  } catch (cause) {
    throw new Error('HUB_SECRET is not the one that this database was sealed with.', { cause })
  }
}
