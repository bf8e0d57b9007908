/** Rejects alternative encodings of the same token. */

/**
 * Whether each part of a compact JWS is canonical base64url. Decoders also accept padding, the standard alphabet, and
 * any value of the unused bits in the last character; such a variant would look like a different token to code that
 * compares text.
 */
export function isSpelledOut(token: string): boolean {
  return token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
}
