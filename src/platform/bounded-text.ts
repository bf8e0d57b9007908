/** Limits of request texts that a verb checks itself, because the limit is a setting or counts bytes. */
import { type Loc, tooLarge } from './errors.ts'

/** The text in UTF-8; 413 if it has more than `limit` bytes, which are counted before anything is copied. */
export function boundedBytes(text: string, limit: number, loc: Loc): Buffer {
  const size = Buffer.byteLength(text)
  if (size > limit)
    throw tooLarge(`has ${size} bytes in UTF-8; ${limit} is the limit`, loc, { unit: 'bytes', limit, used: size })
  return Buffer.from(text)
}
