/** Part URLs of an upload, signed when a response is rendered: a replay gets fresh URLs. */
import type { RequestContext } from '../operation/context.ts'
import { requireObjects } from '../store/objects/required.ts'
import { partBytes } from './check-parts.ts'
import { PART_URL_TTL_SECONDS } from './limits.ts'
import { partCount } from './upload-sql.ts'

/**
 * UploadTarget (spec, "Files") without its URLs. `storageKey` and `storeUploadId` are only for signing; no field
 * exposes them.
 */
export interface UploadTicket {
  readonly path: string
  readonly uploadId: string
  /** Bytes of every part but the last. */
  readonly partSize: number
  readonly size: number
  /** Numbers of the parts already stored, and their ETags in the same order. */
  readonly uploaded: readonly number[]
  readonly uploadedEtags: readonly string[]
  readonly storageKey: string
  readonly storeUploadId: string
}

export interface UploadPart {
  readonly partNumber: number
  readonly url: string
}

/**
 * A presigned URL for each part, bound to its length, including stored parts: sending a part again replaces it. No
 * network call, and no promise where the store signs at once.
 */
export function signParts(ctx: RequestContext, upload: UploadTicket): UploadPart[] | Promise<UploadPart[]> {
  const objects = requireObjects(ctx.deps)
  const { storageKey, storeUploadId, size, partSize } = upload
  const parts = Array.from({ length: partCount(size, partSize) }, (_, index) => {
    const partNumber = index + 1
    const part = { partNumber, sizeBytes: partBytes(size, partSize, partNumber) }
    return { partNumber, url: objects.signPart(storageKey, storeUploadId, part, PART_URL_TTL_SECONDS) }
  })
  return parts.every(isSigned)
    ? parts
    : Promise.all(parts.map(async ({ partNumber, url }) => ({ partNumber, url: await url })))
}

const isSigned = (part: { readonly partNumber: number; readonly url: string | Promise<string> }): part is UploadPart =>
  typeof part.url === 'string'

/** The RFC 3339 time at which URLs that are signed now expire. */
export function partUrlsExpireAt(): string {
  return new Date(Date.now() + PART_URL_TTL_SECONDS * 1000).toISOString()
}
