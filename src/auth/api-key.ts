/** API key tokens. Only the SHA-256 of the whole token is stored. */
import { createHash, randomInt } from 'node:crypto'
import { ENTROPY_CHARS, KEY_ALPHABET, KEY_PREFIX, keyChecksum } from '@hub/formats/key-token'

/** A new token; `randomInt` is unbiased. */
export function newKeyToken(): string {
  let entropy = ''
  for (let place = 0; place < ENTROPY_CHARS; place++) entropy += KEY_ALPHABET.charAt(randomInt(KEY_ALPHABET.length))
  return `${KEY_PREFIX}${entropy}${keyChecksum(entropy)}`
}

/** Whether a credential claims to be an API key, well-formed or not. */
export function looksLikeKey(token: string): boolean {
  return token.startsWith(KEY_PREFIX)
}

/** SHA-256 of a token, the lookup key of its row. */
export function tokenDigest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
