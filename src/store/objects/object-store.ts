/**
 * The one interface to object storage. Two implementations (S3 and disk) hold to one contract test suite.
 *
 * Keys are chosen by the hub alone (`[A-Za-z0-9/_.-]`, random for each upload), never by a client. Every upload is
 * multipart: completing it ends the life of its part URLs, so no URL that is still out there can rewrite bytes which
 * the hub has verified.
 */
import type { Readable } from 'node:stream'
import type { LimitFacts } from '../../platform/limit-facts.ts'

export interface StoredPart {
  readonly partNumber: number
  readonly etag: string
  readonly sizeBytes: number
}

/** What a part URL is for. */
export interface SignedPart {
  readonly partNumber: number
  readonly sizeBytes: number
}

export interface ObjectHead {
  readonly sizeBytes: number
  readonly etag: string
}

/** Bytes `start` to `end`, both inclusive, as in HTTP. */
export interface ByteRange {
  readonly start: number
  readonly end?: number
}

export interface SignGetOptions {
  readonly ttlSeconds: number
  /** Becomes `Content-Disposition: attachment` with this file name (any UTF-8; encoded by RFC 6266). */
  readonly downloadName?: string
  readonly contentType?: string
}

export interface ListedObject {
  readonly key: string
  readonly sizeBytes: number
}

/** ETags are without quotes. Every call rejects with `ObjectStoreError`; network calls take a signal. */
export interface ObjectStore {
  readonly kind: 'disk' | 's3'
  /** Starts a multipart upload and returns the store's own id of it. */
  createUpload(key: string, options: { contentType?: string; signal?: AbortSignal }): Promise<string>
  /**
   * A presigned URL for HTTP PUTs of one part, valid for `ttlSeconds`: exactly `sizeBytes` bytes, which the signature
   * covers. Signing makes no network call; a store that signs at once returns the URL itself, and throws.
   */
  signPart(key: string, uploadId: string, part: SignedPart, ttlSeconds: number): string | Promise<string>
  /**
   * Parts stored so far, by number; empty for an upload without any. `no_such_upload` when it was completed, aborted or
   * never was.
   */
  listParts(key: string, uploadId: string, signal?: AbortSignal): Promise<StoredPart[]>
  /**
   * Assembles the parts by number; the object becomes visible atomically. The caller must list every stored part, and
   * compares with `listParts` first. `invalid_part` for an empty list, a number twice, a part never stored or another
   * ETag; the upload then stays unchanged. After success a second call is `no_such_upload`, or the same head from a
   * store that remembers.
   */
  completeUpload(key: string, uploadId: string, parts: readonly StoredPart[], signal?: AbortSignal): Promise<ObjectHead>
  /** Idempotent. */
  abortUpload(key: string, uploadId: string, signal?: AbortSignal): Promise<void>
  /** Uploads that were started at or before `before` and neither completed nor aborted; for collection. */
  listUploads(before: Date, signal?: AbortSignal): AsyncIterable<{ key: string; uploadId: string; startedAt: Date }>
  /** Null if there is no such object. */
  head(key: string, signal?: AbortSignal): Promise<ObjectHead | null>
  /** Streams the object; `no_such_object` when absent, `invalid_range` when the range starts past the end. */
  get(key: string, options?: { range?: ByteRange; signal?: AbortSignal }): Promise<{ body: Readable; head: ObjectHead }>
  /** Writes one object from memory or a stream of known size: logs, cards, small results. Atomic. */
  put(
    key: string,
    body: Uint8Array | Readable,
    options: { sizeBytes: number; contentType?: string; signal?: AbortSignal },
  ): Promise<ObjectHead>
  /**
   * Writes objects from memory under the keys of a new group (`memberKey`), in order: at most `MOST_TOGETHER`, durable
   * together. After a failure some may be there. Only of a store that writes many at less cost than one by one.
   */
  putTogether?(
    group: string,
    bodies: readonly Uint8Array[],
    options?: { signal?: AbortSignal },
  ): Promise<readonly ObjectHead[]>
  /** Copies inside the store, any size. */
  copy(fromKey: string, toKey: string, signal?: AbortSignal): Promise<ObjectHead>
  /** Idempotent. */
  delete(keys: readonly string[], signal?: AbortSignal): Promise<void>
  /** In any order. An object that is replaced meanwhile may come twice. */
  list(prefix: string, signal?: AbortSignal): AsyncIterable<ListedObject>
  /**
   * A presigned URL for GET with ranges, valid for `ttlSeconds`. S3 binds the method into the signature, so HEAD works
   * on disk only.
   */
  signGet(key: string, options: SignGetOptions): Promise<string>
  /** Resolves when the store responds (for /readyz). */
  ping(signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}

export type ObjectStoreErrorCode =
  | 'no_such_object'
  | 'no_such_upload'
  | 'invalid_part'
  | 'invalid_range'
  | 'too_large'
  | 'too_small'
  | 'busy'
  | 'full'
  | 'unavailable'

/**
 * The only error of an object store. `message` may be shown to a client: it holds no key, path or secret; `cause` is
 * for the log.
 */
export class ObjectStoreError extends Error {
  readonly code: ObjectStoreErrorCode
  /** Of the limit that was met. */
  readonly facts: LimitFacts

  constructor(code: ObjectStoreErrorCode, message: string, options?: { facts?: LimitFacts; cause?: unknown }) {
    super(message, options)
    this.name = 'ObjectStoreError'
    this.code = code
    this.facts = options?.facts ?? {}
  }
}
