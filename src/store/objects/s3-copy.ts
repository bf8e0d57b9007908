/** Copies inside S3, in parts where one call does not reach. */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  type S3Client,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'

/** Where CopyObject ends, and the parts that larger objects are copied in. */
export interface CopyLimits {
  readonly singleCopyBytes: number
  readonly partBytes: number
}

export const S3_COPY_LIMITS: CopyLimits = { singleCopyBytes: 5 * 1024 ** 3, partBytes: 512 * 1024 ** 2 }

/** Parts that are copied at once. */
const PARALLEL_PARTS = 4

/**
 * Copies inside the bucket, whatever the size. Should the source be replaced meanwhile the copy fails, and nothing of
 * it is left.
 */
export async function copyObject({
  client,
  bucket,
  fromKey,
  toKey,
  limits,
  abortSignal,
}: {
  readonly client: S3Client
  readonly bucket: string
  readonly fromKey: string
  readonly toKey: string
  readonly limits: CopyLimits
  readonly abortSignal?: AbortSignal
}): Promise<void> {
  const source = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: fromKey }), { abortSignal })
  const from = {
    CopySource: `${bucket}/${encodeURIComponent(fromKey).replaceAll('%2F', '/')}`,
    CopySourceIfMatch: source.ETag,
  }
  const to = { Bucket: bucket, Key: toKey }
  const sizeBytes = source.ContentLength ?? 0
  if (sizeBytes <= limits.singleCopyBytes) {
    await client.send(new CopyObjectCommand({ ...to, ...from }), { abortSignal })
    return
  }
  const created = await client.send(new CreateMultipartUploadCommand({ ...to, ContentType: source.ContentType }), {
    abortSignal,
  })
  const upload = { ...to, UploadId: created.UploadId }
  try {
    const count = Math.ceil(sizeBytes / limits.partBytes)
    const parts: Array<{ PartNumber: number; ETag: string | undefined }> = []
    let next = 1
    const copyParts = async () => {
      while (next <= count) {
        const PartNumber = next++
        const start = (PartNumber - 1) * limits.partBytes
        const end = Math.min(start + limits.partBytes, sizeBytes) - 1
        const range = `bytes=${start}-${end}`
        const copied = await client.send(
          new UploadPartCopyCommand({ ...upload, ...from, PartNumber, CopySourceRange: range }),
          { abortSignal },
        )
        parts.push({ PartNumber, ETag: copied.CopyPartResult?.ETag })
      }
    }
    await Promise.all(Array.from({ length: PARALLEL_PARTS }, copyParts))
    const Parts = parts.toSorted((one, other) => one.PartNumber - other.PartNumber)
    await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }), { abortSignal })
  } catch (error) {
    // Without the caller's signal: an aborted copy must be cleaned up too. The collection of old uploads finds anything
    // left.
    await client.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined)
    throw error
  }
}
