/** How a client is to send each file: in the commit itself, or by LFS. */
import { z } from 'zod'
import { MAX_CONTENT_BYTES } from './commit-lines.ts'
import type { HfFile } from './render-file.ts'

export const preuploadBody = z.object({ files: z.array(z.object({ path: z.string(), size: z.number() })) })

/** As many as clients ask about at once, twice. */
export const MAX_PREUPLOAD_FILES = 512

/** What git calls a file of no bytes: clients compare an empty file with it. */
const EMPTY_BLOB = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'

interface Preupload {
  readonly path: string
  readonly uploadMode: 'regular' | 'lfs'
  readonly shouldIgnore: false
  readonly oid?: string
}

/**
 * A file of at most 64 KiB goes into the commit. One that may be unchanged is asked for by LFS: the client then
 * compares its SHA-256 with `oid`, and leaves it out if they are the same.
 */
export function preuploadOf(
  { path, size }: { readonly path: string; readonly size: number },
  there: HfFile | undefined,
): Preupload {
  const asked = { path, shouldIgnore: false } as const
  if (size === 0) return { ...asked, uploadMode: 'regular', ...(there?.size === 0 && { oid: EMPTY_BLOB }) }
  if (there?.size === size && there.sha256 !== null) return { ...asked, uploadMode: 'lfs', oid: there.sha256 }
  return { ...asked, uploadMode: size <= MAX_CONTENT_BYTES ? 'regular' : 'lfs' }
}
