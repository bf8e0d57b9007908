/** The end of a log that a check shows. Pure. Spec, `log_tail`. */
import { MAX_LOG_TAIL_BYTES } from '../limits.ts'

/** The last 64 KiB of both texts, cut at a character. Characters that PostgreSQL cannot store as text become U+FFFD; the log itself keeps them. */
export function tailOf(tail: string, chunk: string): string {
  const text = `${tail}${chunk}`.toWellFormed().replaceAll('\0', '\uFFFD')
  const bytes = Buffer.from(text)
  if (bytes.byteLength <= MAX_LOG_TAIL_BYTES) return text
  let from = bytes.byteLength - MAX_LOG_TAIL_BYTES
  // Bytes 10xxxxxx continue a character.
  while (((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1
  return bytes.subarray(from).toString('utf8')
}
