/** The object store side of one file's completion: checks, assembles, measures and hashes its parts. */
import { HubError, type Loc } from '../platform/errors.ts'
import { isNoSuchObject } from '../store/objects/lost-object.ts'
import type { ObjectHead } from '../store/objects/object-store.ts'
import { hashObject, readFirstBytes } from './hash-object.ts'
import { PART_SIZE_BYTES } from './limits.ts'
import { detectMime } from './mime.ts'
import { isNoSuchUpload, isOtherPart } from './objects.ts'
import { type AssembleTools, type PartsToAssemble, type ToAssemble, takenOver } from './record-parts.ts'
import { nameOfUpload, type UploadRow } from './upload-sql.ts'

/** An object that is complete in the store and ready to be linked. */
export interface AssembledUpload {
  readonly upload: UploadRow
  readonly etag: string
  /** Computed by the hub; null for a multipart file, which a job hashes later. */
  readonly sha256: string | null
  readonly mime: string | null
  /** The client sent no bytes: the file can only be linked to equal bytes that the hub already has. */
  readonly onlyIfStored?: boolean
}

/** The bytes do not match the claimed size or digest: the upload ends. */
export class RejectedBytes extends HubError {}

/**
 * Assembles one claimed upload from the parts that `recordParts` recorded; null if it was assembled and checked when
 * its bytes were sent ahead. Safe to repeat after a crash at any point: the parts are recorded before the store
 * assembles them, so "no such upload" afterwards means that the store has assembled them. Errors: 422
 * `upload.etag_mismatch` for a part that was sent again meanwhile, a `RejectedBytes` if the upload can no longer be
 * completed.
 */
export async function assembleUpload(
  tools: AssembleTools,
  { upload, loc }: ToAssemble,
  parts: PartsToAssemble,
): Promise<ObjectHead | null> {
  if (upload.etag !== null) return null
  if (!parts) return existing(tools, upload, loc)
  try {
    return await tools.objects.completeUpload(upload.storageKey, upload.storeUploadId, parts, tools.signal)
  } catch (error) {
    if (isOtherPart(error)) throw sentAgain(upload, loc)
    if (!isNoSuchUpload(error)) throw error
    return existing(tools, upload, loc)
  }
}

/** The parts were those of the request when they were recorded. The upload stays completable with its parts of now. */
function sentAgain(upload: UploadRow, loc: Loc): HubError {
  const type = 'upload.etag_mismatch'
  const detail = `A part of ${nameOfUpload(upload)} was sent again while it was completed; complete it with the ETags of now.`
  return new HubError(type, detail, { items: [{ type, detail, loc: [...loc, 'parts'] }] })
}

/**
 * Checks the size of an assembled upload and, up to one part, its digest. Errors: 422 `upload.*` as `RejectedBytes`,
 * 409 when another completion took over.
 */
export async function checkAssembled(
  tools: AssembleTools,
  { upload, loc }: ToAssemble,
  head: ObjectHead | null,
): Promise<AssembledUpload> {
  if (upload.etag !== null) return checkedBefore(upload, upload.etag)
  if (!head) throw new Error('An upload that was not sent ahead has no object.')
  if (head.sizeBytes !== upload.size)
    throw rejected('upload.size_mismatch', upload, `has ${head.sizeBytes} bytes in the store, not ${upload.size}`, loc)
  if (upload.size > PART_SIZE_BYTES) {
    const firstBytes = await stillThere(upload, readFirstBytes(tools.objects, upload.storageKey, tools.signal))
    return {
      upload,
      etag: head.etag,
      sha256: null,
      mime: await detectMime(upload.path, firstBytes, upload.contentType),
    }
  }
  const hashed = await stillThere(upload, hashObject(tools.objects, upload.storageKey, tools.signal))
  if (hashed.sha256 !== upload.sha256)
    throw rejected(
      'upload.sha256_mismatch',
      upload,
      `has the SHA-256 ${hashed.sha256}, which differs from the claimed one`,
      loc,
    )
  return {
    upload,
    etag: head.etag,
    sha256: hashed.sha256,
    mime: await detectMime(upload.path, hashed.firstBytes, upload.contentType),
  }
}

/** Bytes that were checked when they were sent ahead. */
export const checkedBefore = (upload: UploadRow, etag: string): AssembledUpload => ({
  upload,
  etag,
  sha256: upload.size > PART_SIZE_BYTES ? null : upload.sha256,
  mime: upload.contentType,
})

/** The object of an earlier attempt. */
async function existing(tools: AssembleTools, upload: UploadRow, loc: Loc): Promise<ObjectHead> {
  const head = await tools.objects.head(upload.storageKey, tools.signal)
  if (head) return head
  throw rejected(
    'upload.part_missing',
    upload,
    'is no longer in the store because its upload expired; presign it again',
    loc,
  )
}

/**
 * An assembled object disappears only if its upload was discarded, or if another completion linked equal bytes that the
 * hub already had. In both cases this completion has lost its upload.
 */
function stillThere<T>(upload: UploadRow, read: Promise<T>): Promise<T> {
  return read.catch((error: unknown) => {
    throw isNoSuchObject(error) ? takenOver(upload) : error
  })
}

function rejected(
  type: 'upload.size_mismatch' | 'upload.sha256_mismatch' | 'upload.part_missing',
  upload: UploadRow,
  what: string,
  loc: Loc,
) {
  const detail = `${nameOfUpload(upload)} ${what}.`
  return new RejectedBytes(type, detail, { items: [{ type, detail, loc }] })
}
