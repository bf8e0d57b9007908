/**
 * API key tokens: `hub_key_`, 30 base62 characters of entropy (178 bits) and 6 of their CRC32, so that scans and typos can be distinguished from a
 * key without a database query. Contract, "Credentials". Only the SHA-256 of the whole token is stored.
 */
import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PREFIX = 'hub_key_'
const ENTROPY_CHARS = 30
const CHECKSUM_CHARS = 6
const shape = new RegExp(`^${PREFIX}([0-9A-Za-z]{${ENTROPY_CHARS}})([0-9A-Za-z]{${CHECKSUM_CHARS}})$`)

/** CRC32 of the entropy as six base62 digits, most significant first: 62^6 is more than 2^32. */
function checksum(entropy: string): string {
  let rest = crc32(entropy)
  let digits = ''
  for (let place = 0; place < CHECKSUM_CHARS; place++) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits
    rest = Math.floor(rest / ALPHABET.length)
  }
  return digits
}

/** A new token; `randomInt` is unbiased. */
export function newKeyToken(): string {
  let entropy = ''
  for (let place = 0; place < ENTROPY_CHARS; place++) entropy += ALPHABET.charAt(randomInt(ALPHABET.length))
  return `${PREFIX}${entropy}${checksum(entropy)}`
}

/** Whether a credential claims to be an API key, well-formed or not. */
export function looksLikeKey(token: string): boolean {
  return token.startsWith(PREFIX)
}

/** Whether the token has a valid format and checksum. */
export function isKeyToken(token: string): boolean {
  const [, entropy, check] = shape.exec(token) ?? []
  return entropy !== undefined && checksum(entropy) === check
}

/** SHA-256 of a token, the lookup key of its row. */
export function tokenDigest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
