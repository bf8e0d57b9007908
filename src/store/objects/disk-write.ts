/** Writing that survives a crash: bytes reach the disk before a name does, and a name appears at once or not at all. */
import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { FILE_MODE, FOLDER_MODE } from '../private-folder.ts'
import { ObjectStoreError } from './object-store.ts'

/**
 * Large enough for efficient system calls, small enough for many concurrent uploads: each holds two of these while its
 * bytes come fast.
 */
const BATCH_BYTES = 512 * 1024
/**
 * A source that does not fill a batch in this time is slow, and may be for hours: what has come is written, and no
 * longer held.
 */
const HELD_MS = 1_000

export interface Written {
  readonly md5: string
  readonly sizeBytes: number
}

export interface WriteOptions {
  /** Gets each chunk that has been written. */
  readonly spent?: (chunk: Uint8Array) => void
  /** Ends the writing at once, also while it waits for the next chunk. */
  readonly signal?: AbortSignal
}

/** Makes the new file `path` by `write`, flushed to the disk; it is deleted if that fails. */
export async function writeFlushed(path: string, write: (handle: FileHandle) => Promise<void>): Promise<void> {
  const handle = await open(path, 'wx', FILE_MODE)
  try {
    await write(handle)
    await handle.sync()
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}

/** The open file; null if there is none. */
export const openIfThere = (path: string, flags: 'r' | 'r+') =>
  open(path, flags).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return null
    throw error
  })

/**
 * Streams `source` into the new file `path`, flushed to the disk, hashing on the way; the next batch is read while the
 * last one is written. Rejects with `too_large` or `too_small` if it does not have exactly `sizeBytes`, and with any
 * error of the source; the file is then deleted.
 */
export async function writeNewFile(
  path: string,
  source: AsyncIterable<Uint8Array>,
  { sizeBytes: wanted, spent, signal }: WriteOptions & { readonly sizeBytes: number },
): Promise<Written> {
  const handle = await open(path, 'wx', FILE_MODE)
  const hash = createHash('md5')
  const writer = batchWriter(handle, spent)
  let sizeBytes = 0
  try {
    for await (const chunk of signal ? untilAborted(source, signal) : source) {
      sizeBytes += chunk.byteLength
      assertNoLarger(sizeBytes, wanted)
      hash.update(chunk)
      await writer.add(chunk)
    }
    assertSize(sizeBytes, wanted)
    await writer.end()
    await handle.sync()
  } catch (error) {
    await writer.settle()
    await rm(path, { force: true })
    throw error
  } finally {
    await handle.close()
  }
  return { md5: hash.digest('hex'), sizeBytes }
}

function assertNoLarger(sizeBytes: number, wanted: number): void {
  if (sizeBytes <= wanted) return
  const facts = { unit: 'bytes', limit: wanted, used: null } as const
  throw new ObjectStoreError('too_large', `The body is larger than ${wanted} bytes.`, { facts })
}

/** `too_large` or `too_small` for a body of another size than wanted. */
export function assertSize(sizeBytes: number, wanted: number): void {
  assertNoLarger(sizeBytes, wanted)
  if (sizeBytes < wanted) throw new ObjectStoreError('too_small', `The body has ${sizeBytes} bytes, not ${wanted}.`)
}

/** A source may wait for its next chunk as long as a client likes, so it is not waited for. */
async function* untilAborted(source: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const aborted = Promise.withResolvers<never>()
  aborted.promise.catch(() => undefined)
  const abort = () => aborted.reject(signal.reason)
  signal.throwIfAborted()
  signal.addEventListener('abort', abort, { once: true })
  const chunks = source[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await Promise.race([chunks.next(), aborted.promise])
      if (next.done) return
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', abort)
    const returned = Promise.resolve(chunks.return?.()).catch(() => undefined)
    if (!signal.aborted) await returned
  }
}

interface BatchWriter {
  add(chunk: Uint8Array): Promise<void>
  end(): Promise<void>
  /** Waits for the pending write, even if it fails: a handle must not be closed during a write. */
  settle(): Promise<void>
}

function batchWriter(handle: FileHandle, spent?: (chunk: Uint8Array) => void): BatchWriter {
  let batch: Uint8Array[] = []
  let batchBytes = 0
  let position = 0
  let writing: Promise<void> = Promise.resolve()
  let late: NodeJS.Timeout | null = null

  /** Writes the batch after the one before it. */
  const startWrite = () => {
    if (late) clearTimeout(late)
    late = null
    const [chunks, bytes, at] = [batch, batchBytes, position]
    writing = writing
      .then(() => writeAll(handle, chunks, bytes, at))
      .then(() => {
        if (spent) for (const chunk of chunks) spent(chunk)
      })
    writing.catch(() => undefined)
    position += batchBytes
    batch = []
    batchBytes = 0
  }
  return {
    add: async (chunk) => {
      batch.push(chunk)
      batchBytes += chunk.byteLength
      if (batchBytes < BATCH_BYTES) {
        late ??= setTimeout(startWrite, HELD_MS).unref()
        return
      }
      await writing
      if (batchBytes > 0) startWrite()
    },
    end: async () => {
      await writing
      if (batchBytes > 0) startWrite()
      await writing
    },
    settle: async () => {
      if (late) clearTimeout(late)
      await Promise.allSettled([writing])
    },
  }
}

/** Writes chunks of `batchBytes` together, in as many calls as it takes. */
export async function writeAll(
  handle: FileHandle,
  batch: readonly Uint8Array[],
  batchBytes: number,
  position: number,
): Promise<void> {
  const { bytesWritten } = await handle.writev(batch, position)
  if (bytesWritten === batchBytes) return
  let rest = Buffer.concat(batch).subarray(bytesWritten)
  for (let at = position + bytesWritten; rest.byteLength > 0; ) {
    const written = await handle.write(rest, 0, rest.byteLength, at)
    at += written.bytesWritten
    rest = rest.subarray(written.bytesWritten)
  }
}

/** Writes a small document, flushed, into a folder that is not read yet, so that it may have its name at once. */
export async function writeDocument(path: string, document: unknown): Promise<void> {
  const handle = await open(path, 'w', FILE_MODE)
  try {
    await handle.writeFile(JSON.stringify(document))
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The syncs of a folder: the one that has begun, and the one that waits for its end. */
interface FolderSyncs {
  begun: Promise<void> | null
  waiting: Promise<void> | null
}

const syncs = new Map<string, FolderSyncs>()

/**
 * Makes the names in a directory as durable as their contents. Calls share their syncs: one that has not begun covers
 * all that call before it does, so of a hundred files that come into one folder together each waits for two at most.
 */
export function syncDirectory(path: string): Promise<void> {
  const known = syncs.get(path)
  if (known?.waiting) return known.waiting
  const folder = known ?? { begun: null, waiting: null }
  syncs.set(path, folder)
  const before = folder.begun?.catch(() => undefined) ?? Promise.resolve()
  const sync = before
    .then(() => {
      folder.begun = sync
      folder.waiting = null
      return syncNow(path)
    })
    .finally(() => {
      if (folder.begun === sync) folder.begun = null
      if (!folder.waiting) syncs.delete(path)
    })
  folder.waiting = sync
  return sync
}

async function syncNow(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** `mkdir -p` whose new directories are closed to other users and survive a crash. */
export async function makeDirectories(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: FOLDER_MODE })
  if (first === undefined) return
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncDirectory(dirname(made))
}

/** The `code` of a system error (`ENOENT` …), or undefined. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
