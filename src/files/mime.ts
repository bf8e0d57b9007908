/** The media type of a file (spec, RepoFileEntry `mime`: "detected media type"). */
import { fileTypeFromBuffer } from 'file-type'
import { lookup } from 'mime-types'
import { MAX_CONTENT_TYPE_LENGTH } from '../platform/text-rules.ts'

/** Number of leading bytes that detection needs. */
export const SNIFF_BYTES = 4100

/** Containers whose magic number is less specific than the file name: an `.npz` is a zip, an `.urdf` is XML. */
const containers = new Set(['application/zip', 'application/xml', 'application/gzip', 'application/x-cfb', 'text/xml'])

/**
 * Detected from the first bytes, else from the name, else as claimed by the client; null if all are unknown. Bytes take precedence so that HTML named
 * like an image is not served as one.
 */
export async function detectMime(path: string, firstBytes: Uint8Array, claimed: string | null): Promise<string | null> {
  const sniffed = (await sniff(firstBytes)) ?? null
  if (sniffed && !containers.has(sniffed)) return sniffed
  const found = (lookup(path) || null) ?? claimed ?? sniffed
  return found && found.length <= MAX_CONTENT_TYPE_LENGTH ? found : null
}

/** A broken header can make the parser throw; such a file counts as unknown. */
async function sniff(firstBytes: Uint8Array): Promise<string | undefined> {
  try {
    return (await fileTypeFromBuffer(firstBytes))?.mime
  } catch {
    return undefined
  }
}
