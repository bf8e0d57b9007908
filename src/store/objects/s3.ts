/** The object store on S3 or a server that speaks it. */
import { Readable } from 'node:stream'
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { S3Settings } from '../../platform/config.ts'
import { attachment } from './content-disposition.ts'
import { type ObjectStore, ObjectStoreError } from './object-store.ts'
import { s3Client } from './s3-client.ts'
import { type CopyLimits, copyObject, S3_COPY_LIMITS } from './s3-copy.ts'
import { toObjectStoreError } from './s3-errors.ts'
import { bareEtag, headObject, s3Uploads } from './s3-uploads.ts'

/** What DeleteObjects takes at once. */
const DELETE_BATCH = 1000

/** Opens the store; makes no call yet (`ping` does). `copyLimits` are S3's own unless a test reduces them. */
export function openS3Store(settings: S3Settings, options: { copyLimits?: CopyLimits } = {}): ObjectStore {
  const { bucket } = settings
  const client = s3Client(settings)
  const slow = s3Client(settings, { slow: true })
  const uploads = s3Uploads(client, slow, bucket)

  return {
    kind: 's3',
    createUpload: translated(uploads.createUpload),
    signPart: translated(async (...part: Parameters<ObjectStore['signPart']>) => uploads.signPart(...part)),
    listParts: translated(uploads.listParts),
    completeUpload: translated(uploads.completeUpload),
    abortUpload: translated(uploads.abortUpload),
    listUploads: (before, signal) => translatedList(listUploads(client, bucket, before, signal)),
    head: translated(async (key, signal) => {
      try {
        return await headObject(client, bucket, key, signal)
      } catch (error) {
        const failure = toObjectStoreError(error)
        if (failure.code === 'no_such_object') return null
        throw failure
      }
    }),
    get: translated(getting(client, bucket)),
    put: translated(putting(client, bucket)),
    copy: translated(async (fromKey, toKey, signal) => {
      await copyObject({
        client: slow,
        bucket,
        fromKey,
        toKey,
        limits: options.copyLimits ?? S3_COPY_LIMITS,
        abortSignal: signal,
      })
      return await headObject(client, bucket, toKey, signal)
    }),
    delete: translated(removing(client, bucket)),
    list: (prefix, signal) => translatedList(listObjects(client, bucket, prefix, signal)),
    signGet: translated((key, { ttlSeconds, downloadName, contentType }) => {
      const ResponseContentDisposition = downloadName === undefined ? undefined : attachment(downloadName)
      const command = new GetObjectCommand({
        Bucket: bucket,
        Key: key,
        ResponseContentDisposition,
        ResponseContentType: contentType,
      })
      return getSignedUrl(client, command, { expiresIn: ttlSeconds })
    }),
    ping: translated(async (signal) => {
      await client.send(new HeadBucketCommand({ Bucket: bucket }), { abortSignal: signal })
    }),
    close: async () => {
      client.destroy()
      slow.destroy()
    },
  }
}

/** Reads an object or a range of it as a stream. */
function getting(client: S3Client, bucket: string): ObjectStore['get'] {
  return async (key, { range, signal } = {}) => {
    const Range = range && `bytes=${range.start}-${range.end ?? ''}`
    const answer = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key, Range }), { abortSignal: signal })
    if (!(answer.Body instanceof Readable)) throw new ObjectStoreError('unavailable', 'S3 answered without a body.')
    const total = answer.ContentRange?.split('/')[1]
    return {
      body: answer.Body,
      head: { sizeBytes: Number(total ?? answer.ContentLength ?? 0), etag: bareEtag(answer.ETag) },
    }
  }
}

/** Writes an object of a known size. */
function putting(client: S3Client, bucket: string): ObjectStore['put'] {
  return async (key, body, { sizeBytes, contentType, signal }) => {
    const Body = body instanceof Readable ? Readable.from(exactly(body, sizeBytes), { objectMode: false }) : body
    if (!(body instanceof Readable) && body.byteLength !== sizeBytes) throw wrongSize(sizeBytes)
    const command = new PutObjectCommand({
      Bucket: bucket,
      Key: key,
      Body,
      ContentLength: sizeBytes,
      ContentType: contentType,
    })
    // The SDK would wait forever for a response to an incomplete body.
    const cut = new AbortController()
    if (Body instanceof Readable) Body.once('error', (error) => cut.abort(error))
    const abortSignal = signal ? AbortSignal.any([signal, cut.signal]) : cut.signal
    try {
      const stored = await client.send(command, { abortSignal })
      return { sizeBytes, etag: bareEtag(stored.ETag) }
    } catch (error) {
      throw cut.signal.aborted ? cut.signal.reason : error
    }
  }
}

/** Deletes in batches; a key without an object is no error. */
function removing(client: S3Client, bucket: string): ObjectStore['delete'] {
  return async (keys, signal) => {
    for (let start = 0; start < keys.length; start += DELETE_BATCH) {
      const Objects = keys.slice(start, start + DELETE_BATCH).map((Key) => ({ Key }))
      const answer = await client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }), {
        abortSignal: signal,
      })
      const [failure] = answer.Errors ?? []
      if (failure) throw new ObjectStoreError('unavailable', `S3 did not delete an object (${failure.Code}).`)
    }
  }
}

async function* listObjects(client: S3Client, bucket: string, prefix: string, abortSignal?: AbortSignal) {
  for await (const page of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix }, { abortSignal })) {
    for (const { Key, Size = 0 } of page.Contents ?? []) if (Key !== undefined) yield { key: Key, sizeBytes: Size }
  }
}

async function* listUploads(client: S3Client, bucket: string, before: Date, abortSignal?: AbortSignal) {
  let place: { KeyMarker?: string; UploadIdMarker?: string } | null = {}
  while (place) {
    const command: ListMultipartUploadsCommand = new ListMultipartUploadsCommand({ Bucket: bucket, ...place })
    const page = await client.send(command, { abortSignal })
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (Key && UploadId && Initiated && Initiated <= before)
        yield { key: Key, uploadId: UploadId, startedAt: Initiated }
    }
    place =
      page.IsTruncated && page.NextKeyMarker
        ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
        : null
  }
}

/** Fails at the first byte too many, and at an end that comes too early. */
async function* exactly(source: AsyncIterable<Uint8Array>, sizeBytes: number) {
  let seenBytes = 0
  for await (const chunk of source) {
    seenBytes += chunk.byteLength
    if (seenBytes > sizeBytes) throw wrongSize(sizeBytes)
    yield chunk
  }
  if (seenBytes !== sizeBytes) throw wrongSize(sizeBytes)
}

function wrongSize(sizeBytes: number): ObjectStoreError {
  return new ObjectStoreError('invalid_part', `The body does not have the announced ${sizeBytes} bytes.`)
}

function translated<A extends unknown[], R>(work: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  return async (...args) => {
    try {
      return await work(...args)
    } catch (error) {
      throw toObjectStoreError(error)
    }
  }
}

async function* translatedList<T>(items: AsyncIterable<T>): AsyncIterable<T> {
  try {
    yield* items
  } catch (error) {
    throw toObjectStoreError(error)
  }
}
