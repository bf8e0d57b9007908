/** Strong ETags for `/v1` reads. */
import { hash } from 'node:crypto'

/** `"<base64url of SHA-256>"` of the response body. */
export function strongEtag(text: string): string {
  return `"${hash('sha256', text, 'base64url')}"`
}

/** Whether an `If-None-Match` header covers `etag`: a list, `*`, and weak comparison (`W/` is ignored), as in RFC 9110 section 13.1.2. */
export function noneMatchCovers(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  for (const match of header.matchAll(/(?:W\/)?("[^"]*")/g)) if (match[1] === etag) return true
  return false
}
