/** SHA-256 of local files, streamed. */
import { createHash } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import type { ReadOnce } from './read-once.ts'
import type { TransferState } from './state.ts'
import { type LocalFile, signature } from './walk.ts'

/**
 * A file modified this recently may change again within the clock's resolution without a new timestamp, so its digest
 * is not cached.
 */
const SETTLED_NS = 2_000_000_000n

const CHUNK_BYTES = 1_048_576

/** Is told of bytes as they are read; `known`: the digest of all of them was known, and none was read. */
export type ReadBytes = (count: number, how?: 'known') => void

/**
 * Lowercase hex SHA-256 of a file, in the memory of one chunk: with a known `size` no more than the file has, since a
 * megabyte for each of many small files costs more than their bytes.
 */
export async function sha256Of(
  file: string,
  signal: AbortSignal,
  read: ReadBytes = () => {},
  size = CHUNK_BYTES,
): Promise<string> {
  const hash = createHash('sha256')
  await readInto(Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size + 1)), { file, signal }, (bytes) => {
    hash.update(bytes)
    read(bytes.length)
  })
  return hash.digest('hex')
}

/** What a file has, in one read of the `size` bytes that it had, and fewer if it is shorter by now. */
async function readSmall(file: string, size: number): Promise<Buffer> {
  const handle = await open(file)
  try {
    const bytes = Buffer.allocUnsafeSlow(size)
    let at = 0
    for (let read = 1; read > 0 && at < size; at += read) {
      read = (await handle.read(bytes, at, size - at, at)).bytesRead
    }
    return bytes.subarray(0, at)
  } finally {
    await handle.close()
  }
}

/** MD5 of a range of a file: the ETag that stores give a part. */
export async function md5OfRange(file: string, start: number, end: number, signal: AbortSignal): Promise<string> {
  const hash = createHash('md5')
  const bytes = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - start))
  await readInto(bytes, { file, signal, start, end }, (some) => hash.update(some))
  return hash.digest('hex')
}

interface Range {
  readonly file: string
  readonly signal: AbortSignal
  readonly start?: number
  readonly end?: number
}

/** Reads into the same bytes again and again: a stream makes new ones, whose collection costs more than the hash. */
async function readInto(
  bytes: Buffer,
  { file, signal, start = 0, end = Number.POSITIVE_INFINITY }: Range,
  take: (bytes: Buffer) => void,
): Promise<void> {
  const handle = await open(file)
  try {
    for (let at = start; at < end; ) {
      signal.throwIfAborted()
      const { bytesRead } = await handle.read(bytes, 0, Math.min(bytes.length, end - at), at)
      if (bytesRead === 0) return
      take(bytes.subarray(0, bytesRead))
      at += bytesRead
    }
  } finally {
    await handle.close()
  }
}

/** What hashing a walked file needs, and tells. */
interface Hashing {
  readonly state: TransferState
  readonly signal: AbortSignal
  readonly read?: ReadBytes | undefined
  /** Keeps the bytes of a small file, if it is given. */
  readonly once?: ReadOnce | undefined
}

/** The digest of a walked file; cached while the file is unchanged. */
export async function localDigest(
  local: Omit<LocalFile, 'path'>,
  { state, signal, read = () => {}, once }: Hashing,
): Promise<string> {
  const stamp = `${local.size} ${local.mtimeNs} ${local.ctimeNs} ${local.ino}`
  const known = state.hashOf(local.file, stamp)
  if (known !== null) {
    read(local.size, 'known')
    return known
  }
  const isKept = once?.hasRoomFor(local.size) ?? false
  const sha256 = await (once && isKept
    ? digestOnce(local, { signal, read, once })
    : sha256Of(local.file, signal, read, local.size))
  const nowNs = BigInt(Date.now()) * 1_000_000n
  const settled = (timeNs: bigint) => nowNs - timeNs > SETTLED_NS
  if (settled(local.mtimeNs) && settled(local.ctimeNs)) state.rememberHash(local.file, stamp, sha256)
  return sha256
}

async function digestOnce(
  { file, size }: Omit<LocalFile, 'path'>,
  { signal, read, once }: { readonly signal: AbortSignal; readonly read: ReadBytes; readonly once: ReadOnce },
): Promise<string> {
  signal.throwIfAborted()
  const bytes = await readSmall(file, size)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  if (bytes.length === size) once.keep(file, { sha256, bytes })
  read(bytes.length)
  return sha256
}

/** The digest of the file at this path; same cache. */
export async function digestAt(
  file: string,
  state: TransferState,
  signal: AbortSignal,
  read?: ReadBytes,
): Promise<string> {
  return localDigest({ file, ...signature(await stat(file, { bigint: true })) }, { state, signal, read })
}
