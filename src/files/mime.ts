/** The media type of a file (spec, RepoFileEntry `mime`: "detected media type"). */
import { fileTypeFromBuffer } from 'file-type'
import { lookup } from 'mime-types'
import { MAX_CONTENT_TYPE_LENGTH } from './limits.ts'

/** As many first bytes as detection looks at. */
export const SNIFF_BYTES = 4100

/** Containers whose magic number says less than the file's name: an `.npz` is a zip, an `.urdf` is XML. */
const containers = new Set(['application/zip', 'application/xml', 'application/gzip', 'application/x-cfb', 'text/xml'])

/**
 * What the first bytes say, else what the name says, else what the client said. Null when none of these knows.
 * The bytes come first so that a page of HTML does not become an image by its name.
 */
export async function detectMime(path: string, firstBytes: Uint8Array, claimed: string | null): Promise<string | null> {
  const sniffed = (await sniff(firstBytes)) ?? null
  if (sniffed && !containers.has(sniffed)) return sniffed
  const found = (lookup(path) || null) ?? claimed ?? sniffed
  return found && found.length <= MAX_CONTENT_TYPE_LENGTH ? found : null
}

/** A broken header can make a parser throw; such a file simply has no magic number. */
async function sniff(firstBytes: Uint8Array): Promise<string | undefined> {
  try {
    return (await fileTypeFromBuffer(firstBytes))?.mime
  } catch {
    return undefined
  }
}
