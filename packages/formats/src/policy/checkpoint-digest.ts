/** The digest that pins a checkpoint directory. Pure. */
import { createHash } from 'node:crypto'

export interface DigestedFile {
  /** Relative to the directory. */
  readonly path: string
  readonly sha256: string
}

/** SHA-256 over the lines `<path> <sha256>\n` in byte order of path; lower-case hex. */
export function checkpointDigest(files: readonly DigestedFile[]): string {
  const hash = createHash('sha256')
  const ordered = files.toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)))
  for (const { path, sha256 } of ordered) hash.update(`${path} ${sha256}\n`)
  return hash.digest('hex')
}
