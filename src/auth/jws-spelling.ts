/** One token, one text. */

/**
 * Whether each part of a compact JWS is spelled as base64url spells its bytes. Decoders also take padding, the other alphabet, and any value of the bits that
 * are left over in a last character: the same token under another name, to whatever goes by the text.
 */
export function isSpelledOut(token: string): boolean {
  return token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
}
