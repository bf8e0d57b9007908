/** Multipart uploads of the S3 store. */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  ListPartsCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { type ObjectHead, type ObjectStore, ObjectStoreError, type StoredPart } from './object-store.ts'
import { toObjectStoreError } from './s3-errors.ts'

type UploadCalls = Pick<ObjectStore, 'createUpload' | 'signPart' | 'listParts' | 'completeUpload' | 'abortUpload'>

/** The multipart calls. `slow` has the long timeout that assembling a large object needs. */
export function s3Uploads(client: S3Client, slow: S3Client, bucket: string): UploadCalls {
  const address = (key: string, uploadId: string) => ({ Bucket: bucket, Key: key, UploadId: uploadId })

  const complete = async (key: string, uploadId: string, listed: readonly StoredPart[], abortSignal?: AbortSignal) => {
    const Parts = orderedParts(listed).map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: `"${etag}"` }))
    const MultipartUpload = { Parts }
    try {
      await slow.send(new CompleteMultipartUploadCommand({ ...address(key, uploadId), MultipartUpload }), {
        abortSignal,
      })
    } catch (error) {
      // Ceph returns 500 for an upload that was aborted or is being completed concurrently: check whether it still
      // exists.
      const failure = asUploadFailure(error)
      if (failure.code === 'unavailable' && !abortSignal?.aborted) {
        await listParts(client, address(key, uploadId), abortSignal)
      }
      throw failure
    }
    // Not the response's ETag: Ceph leaves it empty.
    return await headObject(client, bucket, key, abortSignal).catch((error: unknown) => {
      throw asUploadFailure(error)
    })
  }

  return {
    createUpload: async (key, { contentType, signal }) => {
      const command = new CreateMultipartUploadCommand({ Bucket: bucket, Key: key, ContentType: contentType })
      const created = await client.send(command, { abortSignal: signal })
      if (!created.UploadId) throw new ObjectStoreError('unavailable', 'S3 returned no upload id.')
      return created.UploadId
    },
    // The length becomes a signed header, which every HTTP client sends automatically: a body of another length has no
    // valid signature.
    signPart: (key, uploadId, { partNumber, sizeBytes }, ttlSeconds) => {
      const part = { ...address(key, uploadId), PartNumber: partNumber, ContentLength: sizeBytes }
      return getSignedUrl(client, new UploadPartCommand(part), { expiresIn: ttlSeconds })
    },
    listParts: (key, uploadId, signal) => listParts(client, address(key, uploadId), signal),
    completeUpload: complete,
    abortUpload: async (key, uploadId, signal) => {
      try {
        await client.send(new AbortMultipartUploadCommand(address(key, uploadId)), { abortSignal: signal })
      } catch (error) {
        const failure = asUploadFailure(error)
        if (failure.code !== 'no_such_upload') throw failure
      }
    },
  }
}

/**
 * Servers report a missing upload with different errors. An object that was completed long ago and then deleted counts
 * as missing too.
 */
function asUploadFailure(error: unknown): ObjectStoreError {
  const failure = toObjectStoreError(error)
  return failure.code === 'no_such_object'
    ? new ObjectStoreError('no_such_upload', failure.message, { cause: failure.cause })
    : failure
}

/** Not the SDK's paginator: it continues as long as there is a marker, and Ceph returns one on the last page too. */
async function listParts(
  client: S3Client,
  address: { Bucket: string; Key: string; UploadId: string },
  abortSignal?: AbortSignal,
): Promise<StoredPart[]> {
  const parts: StoredPart[] = []
  let marker: string | undefined
  do {
    const command: ListPartsCommand = new ListPartsCommand({ ...address, PartNumberMarker: marker })
    const page = await client.send(command, { abortSignal }).catch((error: unknown) => {
      throw asUploadFailure(error)
    })
    for (const { PartNumber = 0, ETag, Size = 0 } of page.Parts ?? []) {
      parts.push({ partNumber: PartNumber, etag: bareEtag(ETag), sizeBytes: Size })
    }
    marker = page.IsTruncated ? page.NextPartNumberMarker : undefined
  } while (marker !== undefined)
  return parts
}

/** Size and ETag; rejects with S3's own error if there is no such object. */
export async function headObject(
  client: S3Client,
  bucket: string,
  key: string,
  abortSignal?: AbortSignal,
): Promise<ObjectHead> {
  const head = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }), { abortSignal })
  return { sizeBytes: head.ContentLength ?? 0, etag: bareEtag(head.ETag) }
}

/** Without the quotes that HTTP wraps it in; empty where the server gave none. */
export function bareEtag(etag: string | undefined): string {
  return (etag ?? '').replaceAll('"', '')
}

/** By number. S3 servers differ on an empty list and on a number twice, so neither is sent. */
function orderedParts(listed: readonly StoredPart[]): StoredPart[] {
  if (listed.length === 0) throw new ObjectStoreError('invalid_part', 'No part is listed.')
  const ordered = listed.toSorted((one, other) => one.partNumber - other.partNumber)
  const twice = ordered.find((part, index) => part.partNumber === ordered[index - 1]?.partNumber)
  if (twice) throw new ObjectStoreError('invalid_part', `Part ${twice.partNumber} is listed twice.`)
  return ordered
}
