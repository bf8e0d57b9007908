/** The object store on a disk of the hub's machine, for all its processes; hubs of several machines share S3. */
import { createSecretKey } from 'node:crypto'
import { mkdir, rename, rm, statfs, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { addAbortSignal, Readable } from 'node:stream'
import { FILE_MODE, FOLDER_MODE } from '../private-folder.ts'
import { type Layout, layoutOf, partFile } from './disk-layout.ts'
import { type DiskObjects, diskObjects } from './disk-objects.ts'
import { openScratch, type Scratch } from './disk-scratch.ts'
import { diskUploads, type SendOptions } from './disk-uploads.ts'
import { assertSize, systemCode, writeNewFile } from './disk-write.ts'
import { type ByteRange, type ObjectStore, ObjectStoreError, type StoredPart } from './object-store.ts'
import {
  MAX_PART_NUMBER,
  type PartGrant,
  type ReadGrant,
  readDownloadUrl,
  readPartUrl,
  signedPath,
  type Verdict,
} from './signed-url.ts'

/** Less is as good as nothing: a part has up to 100 MiB, and the database writes its log in files of 16 MiB. */
const MIN_FREE_BYTES = 16 * 1024 * 1024
const PROBE_BYTES = 64 * 1024

export interface DiskStoreOptions {
  readonly dir: string
  /** At least 32 random bytes; the same after a restart, or URLs that are out there end. */
  readonly signingKey: Uint8Array
  /** Called at each signing, because the port may be known only after the store is open. Without a trailing slash. */
  readonly baseUrl: () => string
}

/** The interface, and what the HTTP side of its signed URLs needs. */
export interface DiskStore extends ObjectStore {
  readonly kind: 'disk'
  readPartUrl(key: string, query: URLSearchParams): Verdict<PartGrant>
  readDownloadUrl(key: string, query: URLSearchParams): Verdict<ReadGrant>
  /**
   * Streams one part into place; a second one of the same number replaces it. Nothing is kept when it rejects:
   * `no_such_upload` (also one that ends meanwhile), `too_large` and `too_small` for another length than the grant's,
   * `busy`, or what `signal` was aborted with.
   */
  writePart(grant: PartGrant, body: AsyncIterable<Uint8Array>, options?: SendOptions): Promise<StoredPart>
  /** An object and the bytes of it that `wanted`, which throws nothing, asks for: found once. `no_such_object`. */
  open: DiskObjects['open']
}

/** Opens the store, creates its directories, closed to other users, and removes what a crash left unfinished. */
export async function openDiskStore(options: DiskStoreOptions): Promise<DiskStore> {
  if (options.signingKey.byteLength < 32) throw new Error('The signing key needs at least 32 bytes.')
  const layout = layoutOf(resolve(options.dir))
  const scratch = await openScratch(layout)
  const objects = diskObjects(layout, scratch)
  const uploads = diskUploads(layout, scratch, objects)
  const { guarded, guardedList } = guardedBy(scratch)
  const { baseUrl } = options
  // Once: a key of bytes would be prepared again for each signature.
  const signingKey = createSecretKey(options.signingKey)
  const expiresIn = (ttlSeconds: number) => Math.floor(Date.now() / 1000) + ttlSeconds

  const get = async (key: string, { range, signal }: { range?: ByteRange; signal?: AbortSignal } = {}) => {
    const { body, object } = await objects.read(key, range)
    return { body: endedBy(signal, body), head: { sizeBytes: object.sizeBytes, etag: object.etag } }
  }

  return {
    kind: 'disk',
    createUpload: guarded((key, { contentType }) => uploads.create(key, contentType ?? null)),
    signPart: (key, uploadId, { partNumber, sizeBytes }, ttlSeconds) => {
      layout.object(key)
      if (!(partNumber >= 1 && partNumber <= MAX_PART_NUMBER))
        throw new ObjectStoreError('invalid_part', `Part numbers are 1 to ${MAX_PART_NUMBER}.`)
      const grant = {
        method: 'PUT',
        key,
        uploadId,
        partNumber,
        sizeBytes,
        expiresAtSeconds: expiresIn(ttlSeconds),
      } as const
      return baseUrl() + signedPath(grant, signingKey)
    },
    listParts: guarded((key, uploadId) => uploads.parts(key, uploadId)),
    completeUpload: guarded((key, uploadId, parts) => uploads.complete(key, uploadId, parts)),
    abortUpload: guarded((key, uploadId) => uploads.abort(key, uploadId)),
    listUploads: (before) => guardedList(uploads.startedBefore(before)),
    head: guarded(async (key) => {
      const object = await objects.find(key)
      return object && { sizeBytes: object.sizeBytes, etag: object.etag }
    }),
    get: guarded(get),
    put: guarded((key, body, given) => putObject({ layout, scratch, objects }, { key, body, ...given })),
    copy: guarded((fromKey, toKey) => objects.copy(fromKey, toKey)),
    putTogether: guarded((group, bodies, { signal }: { signal?: AbortSignal } = {}) =>
      objects.putTogether(group, bodies, signal),
    ),
    delete: guarded((keys) => objects.remove(keys)),
    list: (prefix) => guardedList(objects.list(prefix)),
    signGet: guarded(async (key, { ttlSeconds, downloadName = null, contentType = null }) => {
      layout.object(key)
      const grant = { method: 'GET', key, downloadName, contentType, expiresAtSeconds: expiresIn(ttlSeconds) } as const
      return baseUrl() + signedPath(grant, signingKey)
    }),
    ping: guarded(() => ping(layout, scratch)),
    close: () => scratch.close(),
    readPartUrl: (key, query) => readPartUrl(key, query, signingKey),
    readDownloadUrl: (key, query) => readDownloadUrl(key, query, signingKey),
    writePart: guarded((grant, body, options) => uploads.writePart(grant, body, options)),
    open: guarded(objects.open),
  }
}

/** The parts of an open store. */
interface Parts {
  readonly layout: Layout
  readonly scratch: Scratch
  readonly objects: DiskObjects
}

type NewObject = Parameters<ObjectStore['put']>[2] & {
  readonly key: string
  readonly body: Uint8Array | Readable
}

/** Writes a whole object next to the others, then publishes it. From memory it is one file. */
async function putObject({ layout, scratch, objects }: Parts, object: NewObject) {
  const { key, body, sizeBytes, contentType, signal } = object
  layout.object(key)
  if (body instanceof Uint8Array) {
    signal?.throwIfAborted()
    assertSize(body.byteLength, sizeBytes)
    const head = await objects.putWhole(key, body, { contentType, signal })
    if (head) return head
  }
  const source = endedBy(signal, body instanceof Readable ? body : Readable.from([body]))
  const directory = scratch.fresh()
  await mkdir(directory, { mode: FOLDER_MODE })
  try {
    const draft = join(directory, 'draft')
    const written = await writeNewFile(draft, source, { sizeBytes })
    const { file } = partFile(1, Date.now(), written.md5, sizeBytes)
    await rename(draft, join(directory, file))
    const parts = [{ file, sizeBytes }]
    return await objects.publish(directory, {
      key,
      contentType: contentType ?? null,
      sizeBytes,
      etag: written.md5,
      parts,
    })
  } catch (error) {
    await scratch.discard(directory)
    throw error
  }
}

/** A name can be made where a byte cannot be written, and a block be left where no upload would end. */
async function ping(layout: Layout, scratch: Scratch): Promise<void> {
  const { bavail, bsize } = await statfs(layout.tmp)
  if (bavail * bsize < MIN_FREE_BYTES) throw fullDisk(undefined)
  const probe = scratch.fresh()
  try {
    await writeFile(probe, Buffer.alloc(PROBE_BYTES), { flag: 'wx', mode: FILE_MODE })
  } finally {
    await rm(probe, { force: true })
  }
}

/**
 * Destroys the stream when the signal aborts, which may be before it has a reader: without a listener its `error` event
 * would end the process. A reader it later gets the error all the same.
 */
function endedBy(signal: AbortSignal | undefined, stream: Readable): Readable {
  return signal
    ? addAbortSignal(
        signal,
        stream.on('error', () => undefined),
      )
    : stream
}

/**
 * Errors as the interface has them. A disk that was taken away has none of the files that are asked for, which looks as
 * if each of them were lost: so where something is missing, the store itself is looked for.
 */
function guardedBy({ isThere }: Scratch) {
  const assertThere = async () => {
    if (!(await isThere())) throw new ObjectStoreError('unavailable', 'The folder of the object store is not there.')
  }
  const judged = async (error: unknown) => {
    if (isMissing(error)) await assertThere()
    return asStoreError(error)
  }
  const guarded =
    <A extends unknown[], R>(work: (...args: A) => Promise<R>): ((...args: A) => Promise<R>) =>
    async (...args) => {
      try {
        const result = await work(...args)
        // Nothing found, or nothing to say of what should be gone now.
        if (result === null || result === undefined) await assertThere()
        return result
      } catch (error) {
        throw await judged(error)
      }
    }
  async function* guardedList<T>(items: AsyncIterable<T>): AsyncIterable<T> {
    try {
      yield* items
      await assertThere()
    } catch (error) {
      throw await judged(error)
    }
  }
  return { guarded, guardedList }
}

const isMissing = (error: unknown) =>
  error instanceof ObjectStoreError && (error.code === 'no_such_object' || error.code === 'no_such_upload')

const fullDisk = (cause: unknown) => new ObjectStoreError('full', 'The disk of the object store is full.', { cause })

/** A full disk is `full`, a broken one `unavailable`; paths stay in `cause`, for the log. */
function asStoreError(error: unknown): ObjectStoreError {
  if (error instanceof ObjectStoreError) return error
  if (systemCode(error) === 'ENOSPC' || systemCode(error) === 'EDQUOT') return fullDisk(error)
  return new ObjectStoreError('unavailable', 'The disk of the object store did not do what was asked.', {
    cause: error,
  })
}

/** Whether this store's signed URLs are served by the hub itself. */
export function isDiskStore(store: ObjectStore | null): store is DiskStore {
  return store?.kind === 'disk'
}
