/** The media type of a file (spec, RepoFileEntry `mime`: "detected media type"). */

import { MAX_CONTENT_TYPE_LENGTH } from '@hub/formats/text-rules'
import { fileTypeFromBuffer } from 'file-type'
import { lookup } from 'mime-types'

/** Number of leading bytes that detection needs. */
export const SNIFF_BYTES = 4100

/**
 * No file of a format with a magic number is shorter (an empty WebAssembly module is as long). `file-type` reads zeros
 * past the end of a file, so `00 01` is a font to it.
 */
const MIN_SNIFFED_BYTES = 8

/** Containers whose magic number is less specific than the file name: an `.npz` is a zip, an `.urdf` is XML. */
const containers = new Set(['application/zip', 'application/xml', 'application/gzip', 'application/x-cfb', 'text/xml'])

/**
 * Told by two or three bytes, or by small numbers: text begins with `BM`, `MZ`, `%!` or `ID3`, weights with a length of
 * 256, compressed data with `78 01`. Such bytes alone say nothing.
 */
const ambiguous = new Set([
  'application/postscript',
  'application/x-apple-diskimage',
  'application/x-arj',
  'application/x-bzip2',
  'application/x-compress',
  'application/x-cpio',
  'application/x-msdownload',
  'application/x-shockwave-flash',
  'audio/aac',
  'audio/mpeg',
  'audio/vnd.dolby.dd-raw',
  'audio/x-musepack',
  'font/ttf',
  'image/bmp',
  'image/gif',
  'image/jxl',
  'image/x-icon',
  'video/mp2t',
])

/**
 * Detected from the first bytes, else from the name, else as claimed by the client; null if all are unknown. Bytes take
 * precedence so that HTML named like an image is not served as one; bytes that may be anything do not.
 */
export async function detectMime(path: string, firstBytes: Uint8Array, claimed: string | null): Promise<string | null> {
  return mimeFor(path, await sniffMime(firstBytes), claimed)
}

/** What the first bytes show; null if nothing. */
export async function sniffMime(firstBytes: Uint8Array): Promise<string | null> {
  return (await sniff(firstBytes)) ?? null
}

/** `detectMime` for bytes that were looked at before they had a path. */
export function mimeFor(path: string, sniffed: string | null, claimed: string | null = null): string | null {
  if (sniffed && !containers.has(sniffed)) return sniffed
  const found = (lookup(path) || null) ?? claimed ?? sniffed
  return found && found.length <= MAX_CONTENT_TYPE_LENGTH ? found : null
}

/** A broken header can make the parser throw; such a file counts as unknown. */
async function sniff(firstBytes: Uint8Array): Promise<string | undefined> {
  if (firstBytes.length < MIN_SNIFFED_BYTES) return undefined
  try {
    const mime = (await fileTypeFromBuffer(firstBytes))?.mime
    return mime && ambiguous.has(mime) && !isWholeGif(firstBytes) ? undefined : mime
  } catch {
    return undefined
  }
}

/** `file-type` looks at `GIF` alone. */
const isWholeGif = (bytes: Uint8Array): boolean =>
  /^GIF8[79]a$/.test(Buffer.from(bytes.subarray(0, 6)).toString('latin1'))
