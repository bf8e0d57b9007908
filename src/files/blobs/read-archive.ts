/** Contents as a tar archive in a request: many small files travel as they are, without base64 and JSON. */
import { hash } from 'node:crypto'
import { Header } from 'tar'
import { HubError, invalid } from '../../platform/errors.ts'
import type { Sliced } from '../../platform/slices.ts'
import { MAX_ARCHIVED_BYTES, MAX_INLINE_FILES } from '../limits.ts'
import type { HeldContent } from './read-contents.ts'

const BLOCK_BYTES = 512

/** Of one slice, at least: they are hashed in a few milliseconds. An archive may have as many headers as blocks. */
const SLICE_BYTES = 1024 * 1024
const SLICE_HEADERS = 500

const files: ReadonlySet<string> = new Set(['File', 'OldFile', 'ContiguousFile'])
/** What says more of the next entry, or of where it lies: only its bytes count here. */
const passedOver: ReadonlySet<string> = new Set([
  ...['Directory', 'ExtendedHeader', 'GlobalExtendedHeader', 'OldExtendedHeader'],
  ...['NextFileHasLongPath', 'NextFileHasLongLinkpath'],
])
const digest = /^[0-9a-f]{64}$/

/**
 * The contents of the files in an archive, in order. A file whose name is a SHA-256 in hex has to have it; other names
 * do not count. 422 for what is not a whole archive of files, 413 for too many or too large ones.
 */
export function* readArchive(archive: Buffer): Sliced<HeldContent[]> {
  const contents: HeldContent[] = []
  let sliceBytes = 0
  let headers = 0
  for (let at = 0; at + BLOCK_BYTES <= archive.length; ) {
    const { nullBlock, type = 'Unsupported', size = 0, path = '' } = headerAt(archive, at)
    if (nullBlock) break
    const from = at + BLOCK_BYTES
    if (from + size > archive.length) throw refused(`The archive ends in the middle of ${shown(path)}.`)
    at = from + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES
    headers += 1
    if (files.has(type)) {
      if (contents.length === MAX_INLINE_FILES) throw tooMany()
      contents.push(contentOf(path, archive.subarray(from, from + size)))
      sliceBytes += size
    } else if (!passedOver.has(type)) throw refused(`${shown(path)} in the archive is not a file: ${type}.`)
    if (sliceBytes < SLICE_BYTES && headers < SLICE_HEADERS) continue
    sliceBytes = 0
    headers = 0
    yield
  }
  if (contents.length === 0) throw refused('The archive has no files.')
  return contents
}

function headerAt(archive: Buffer, at: number): Header {
  const noEntry = () => refused(`The archive is not a tar archive: there is no entry at byte ${at}.`)
  let header: Header
  try {
    header = new Header(archive, at)
  } catch {
    // A number that JavaScript does not have.
    throw noEntry()
  }
  // There is no size where it is written as less than nothing, or as no number.
  if (!header.nullBlock && (!header.cksumValid || (header.size ?? -1) < 0)) throw noEntry()
  return header
}

function contentOf(path: string, bytes: Buffer): HeldContent {
  if (bytes.length > MAX_ARCHIVED_BYTES) throw tooLarge(path, bytes.length)
  const sha256 = hash('sha256', bytes)
  if (digest.test(path) && path !== sha256)
    throw new HubError('upload.sha256_mismatch', `The file ${path} of the archive has the digest ${sha256}.`, {
      items: [{ type: 'upload.sha256_mismatch', detail: `It has the digest ${sha256}.`, loc: ['body'] }],
    })
  return { bytes, size: bytes.length, sha256 }
}

const shown = (path: string) => JSON.stringify(path.slice(0, 256))
const refused = (detail: string) => invalid('validation.value', detail, ['body'])

function tooLarge(path: string, used: number): HubError {
  const facts = { unit: 'bytes', limit: MAX_ARCHIVED_BYTES, used }
  const detail = `${shown(path)} has ${used} bytes: a file of more than ${MAX_ARCHIVED_BYTES} is presigned, and sent to the store.`
  return new HubError('too_large', detail, { facts })
}

function tooMany(): HubError {
  const facts = { unit: 'files', limit: MAX_INLINE_FILES, used: null }
  return new HubError('too_large', `An archive has at most ${MAX_INLINE_FILES} files; send several.`, { facts })
}
