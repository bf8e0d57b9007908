/** Strong ETags for reads. */
import { hash } from 'node:crypto'

/** The codings that responses are compressed with, the cheapest for the hub first. */
export const codings = ['zstd', 'br', 'gzip'] as const
export type Coding = (typeof codings)[number]

/** `"<base64url of SHA-256>"` of the response body. */
export function strongEtag(text: string): string {
  return `"${hash('sha256', text, 'base64url')}"`
}

/** The tag of the same body in a coding: its bytes differ, so a strong tag must differ too. */
export function codedEtag(etag: string, coding: Coding): string {
  return `${etag.slice(0, -1)}-${coding}"`
}

/**
 * Whether an `If-None-Match` header covers `etag`: a list, `*`, and weak comparison (`W/` is ignored), as in RFC 9110
 * section 13.1.2. A tag of the body in some coding covers it too.
 */
export function noneMatchCovers(header: string | undefined, etag: string): boolean {
  return header?.trim() === '*' || coveredTags(header, etag).length > 0
}

/** The tags of a body that the header names: its own, and those of its codings. */
export function coveredTags(header: string | undefined, etag: string): string[] {
  if (header === undefined) return []
  const named = new Set([...header.matchAll(/(?:W\/)?("[^"]*")/g)].map(([, tag]) => tag))
  return [etag, ...codings.map((coding) => codedEtag(etag, coding))].filter((tag) => named.has(tag))
}
