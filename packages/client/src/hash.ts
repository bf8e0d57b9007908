/** SHA-256 of local files, streamed. */
import { createHash } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import { READ_AT_ONCE, readError } from './read-flags.ts'
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
 * megabyte for each of many small files costs more than their bytes. `head` gets the first chunk.
 */
export async function sha256Of(
  file: string,
  signal: AbortSignal,
  read: ReadBytes = () => {},
  size?: number,
  head?: (bytes: Buffer) => void,
): Promise<string> {
  const hash = createHash('sha256')
  let isFirst = true
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, (size ?? CHUNK_BYTES) + 1))
  await readInto(buffer, { file, signal, size }, (bytes) => {
    if (isFirst) head?.(bytes)
    isFirst = false
    hash.update(bytes)
    read(bytes.length)
  })
  return hash.digest('hex')
}

/** What a file has that had `size` bytes; one byte more if it has grown. */
export async function readSmall(file: string, size: number): Promise<Buffer> {
  const handle = await open(file, READ_AT_ONCE)
  try {
    const bytes = Buffer.allocUnsafe(size + 1)
    let length = 0
    for (let read = 1; read > 0 && length < bytes.length && !(length === size && size > 0); length += read)
      read = (await handle.read(bytes, length, bytes.length - length, length)).bytesRead
    return bytes.subarray(0, length)
  } catch (error) {
    throw readError(error, file)
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
  /** What the file had: a read that ends there, with room for more, has reached the end. */
  readonly size?: number | undefined
}

/** Reads into the same bytes again and again: a stream makes new ones, whose collection costs more than the hash. */
async function readInto(
  bytes: Buffer,
  { file, signal, start = 0, end = Number.POSITIVE_INFINITY, size }: Range,
  take: (bytes: Buffer) => void,
): Promise<void> {
  const handle = await open(file, READ_AT_ONCE)
  try {
    for (let at = start; at < end; ) {
      signal.throwIfAborted()
      const wanted = Math.min(bytes.length, end - at)
      const { bytesRead } = await handle.read(bytes, 0, wanted, at)
      if (bytesRead === 0) return
      take(bytes.subarray(0, bytesRead))
      at += bytesRead
      if (bytesRead < wanted && at === size) return
    }
  } catch (error) {
    throw readError(error, file)
  } finally {
    await handle.close()
  }
}

/** The digest of a walked file, which `compute` reads; cached while the file is unchanged. */
export async function localDigest(
  local: Omit<LocalFile, 'path' | 'isNear'>,
  state: TransferState,
  read: ReadBytes,
  compute: () => Promise<string>,
): Promise<string> {
  const stamp = `${local.size} ${local.mtimeNs} ${local.ctimeNs} ${local.ino}`
  const known = state.hashOf(local.file, stamp)
  if (known !== null) {
    read(local.size, 'known')
    return known
  }
  const sha256 = await compute()
  const nowNs = BigInt(Date.now()) * 1_000_000n
  const settled = (timeNs: bigint) => nowNs - timeNs > SETTLED_NS
  if (settled(local.mtimeNs) && settled(local.ctimeNs)) state.rememberHash(local.file, stamp, sha256)
  return sha256
}

/** The digest of the file at this path; same cache. */
export async function digestAt(
  file: string,
  state: TransferState,
  signal: AbortSignal,
  read: ReadBytes = () => {},
): Promise<string> {
  const local = { file, ...signature(await stat(file, { bigint: true })) }
  return localDigest(local, state, read, () => sha256Of(file, signal, read, local.size))
}
