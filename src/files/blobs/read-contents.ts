/** Contents of a request itself: their bytes, and what the hub computes of them. */
import { createHash } from 'node:crypto'
import type { Sliced } from '../../platform/slices.ts'
import type { Content } from './blob-rows.ts'

/** A content with its bytes. */
export type HeldContent = Content & { readonly bytes: Buffer }

/** Characters of base64 of one slice, at least: they are decoded and hashed in about 10 ms. */
const SLICE_CHARACTERS = 1024 * 1024

/**
 * The bytes and digests of contents in base64, in order. Twenty-four megabytes of them in one piece took 120 ms of the
 * event loop, after as much for reading the request.
 */
export function* readContents(texts: readonly string[]): Sliced<HeldContent[]> {
  const contents: HeldContent[] = []
  let characters = 0
  for (const text of texts) {
    if (characters >= SLICE_CHARACTERS) {
      characters = 0
      yield
    }
    characters += text.length
    const bytes = Buffer.from(text, 'base64')
    contents.push({ bytes, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') })
  }
  return contents
}
