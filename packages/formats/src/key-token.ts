/**
 * The text of an API key: `hub_key_`, 30 base62 characters of entropy (178 bits) and 6 of their CRC32, so that scans
 * and typos can be distinguished from a key without a database query. Contract, "Credentials".
 */

export const KEY_ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
export const KEY_PREFIX = 'hub_key_'
export const ENTROPY_CHARS = 30
const CHECKSUM_CHARS = 6
const shape = new RegExp(`^${KEY_PREFIX}([0-9A-Za-z]{${ENTROPY_CHARS}})([0-9A-Za-z]{${CHECKSUM_CHARS}})$`)

/** As zlib computes it, of ASCII text: pages, which have no zlib, look for keys too. */
function crc32(text: string): number {
  let rest = 0xffff_ffff
  for (const character of text) {
    rest ^= character.charCodeAt(0)
    for (let bit = 0; bit < 8; bit++) rest = (rest >>> 1) ^ (rest & 1 ? 0xedb8_8320 : 0)
  }
  return ~rest >>> 0
}

/** CRC32 of the entropy as six base62 digits, most significant first: 62^6 is more than 2^32. */
export function keyChecksum(entropy: string): string {
  let rest = crc32(entropy)
  let digits = ''
  for (let place = 0; place < CHECKSUM_CHARS; place++) {
    digits = KEY_ALPHABET.charAt(rest % KEY_ALPHABET.length) + digits
    rest = Math.floor(rest / KEY_ALPHABET.length)
  }
  return digits
}

/** Whether the token has a valid format and checksum. */
export function isKeyToken(token: string): boolean {
  const [, entropy, check] = shape.exec(token) ?? []
  return entropy !== undefined && keyChecksum(entropy) === check
}
