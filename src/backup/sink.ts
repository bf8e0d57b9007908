/** Where a backup is written: a folder or a tar file, under another name until it is whole. */
import { createHash } from 'node:crypto'
import { type FileHandle, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Header, Pax } from 'tar'
import { syncDirectory, systemCode } from '../store/objects/disk-write.ts'
import { BackupError } from './manifest.ts'

export interface WrittenFile {
  readonly bytes: number
  readonly digest: string
}

export interface BackupSink {
  /** How many files may be written at a time. */
  readonly concurrency: number
  /** Adds a file and returns its digest. `sizeBytes` null: it is known at the end of the source. */
  write(
    name: string,
    source: AsyncIterable<Uint8Array>,
    options: { readonly sizeBytes: number | null; readonly digest: 'sha256' | 'md5' },
  ): Promise<WrittenFile>
  /** Adds a file as a link to one that never changes; null where a tar is written. */
  readonly link: ((name: string, path: string) => Promise<void>) | null
  /** Makes the backup durable and gives it its name. */
  finish(): Promise<void>
  /** Removes what was written. */
  abandon(): Promise<void>
}

/**
 * Opens `path` for a new backup: a tar file if it ends in `.tar`, else a folder. It must not exist, or be an empty
 * folder.
 */
export async function openSink(path: string): Promise<BackupSink> {
  const found = await stat(path).catch(() => null)
  if (found && !(found.isDirectory() && !path.endsWith('.tar') && (await readdir(path)).length === 0))
    throw new BackupError(`${path} exists. Name a new file or folder: a backup never replaces another one.`)
  const draft = join(dirname(path), `.${basename(path)}.partial`)
  // Of a backup that was killed.
  for (const left of [draft, spoolOf(draft)]) await rm(left, { recursive: true, force: true })
  await mkdir(dirname(path), { recursive: true }).catch(isFullAt(path))
  return namedDisk(path, await (path.endsWith('.tar') ? tarSink : folderSink)(path, draft).catch(isFullAt(path)))
}

/** Names the disk that is full, which is seldom the one with the data of the hub. Throws any other error as it is. */
export const isFullAt =
  (path: string) =>
  (error: unknown): never => {
    const code = systemCode(error)
    if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error
    throw new BackupError(
      `The disk of ${path} is full, and nothing of the backup was kept: make room, or name another disk.`,
    )
  }

function namedDisk(path: string, { write, link, finish, ...sink }: BackupSink): BackupSink {
  return {
    ...sink,
    write: (...file) => write(...file).catch(isFullAt(path)),
    link: link && ((...file) => link(...file).catch(isFullAt(path))),
    finish: () => finish().catch(isFullAt(path)),
  }
}

async function folderSink(path: string, draft: string): Promise<BackupSink> {
  await mkdir(draft, { mode: 0o700 })
  const folders = new Set([draft])
  const folderOf = async (file: string) => {
    const folder = dirname(file)
    if (folders.has(folder)) return
    await mkdir(folder, { recursive: true, mode: 0o700 })
    for (let at = folder; !folders.has(at); at = dirname(at)) folders.add(at)
  }
  // Each folder is flushed once it is full: objects come in the order of their keys, so a set of all would only grow.
  const flushFolders = async () => {
    for (const folder of folders) await syncDirectory(folder)
    folders.clear()
    folders.add(draft)
  }
  const flushMany = async () => {
    if (folders.size > 10_000) await flushFolders()
  }
  return {
    concurrency: 8,
    write: async (name, source, { digest }) => {
      const file = join(draft, name)
      await folderOf(file)
      const handle = await open(file, 'wx', 0o600)
      try {
        const written = await pour(handle, source, 0, digest)
        await handle.sync()
        return written
      } finally {
        await handle.close()
        await flushMany()
      }
    },
    link: async (name, from) => {
      const file = join(draft, name)
      await folderOf(file)
      await link(from, file).catch((cause: unknown) => {
        if (systemCode(cause) !== 'EXDEV' && systemCode(cause) !== 'EPERM') throw cause
        throw new BackupError('The object store is on another disk, or its disk has no links: use --objects copy.', {
          cause,
        })
      })
      await flushMany()
    },
    finish: async () => {
      await flushFolders()
      await rename(draft, path)
      await syncDirectory(dirname(path))
    },
    abandon: () => rm(draft, { recursive: true, force: true }),
  }
}

/** Where a file of a tar waits until its size is known. */
const spoolOf = (draft: string) => `${draft}.file`

const BLOCK = 512

async function tarSink(path: string, draft: string): Promise<BackupSink> {
  const handle = await open(draft, 'wx', 0o600)
  const spool = spoolOf(draft)
  let position = 0
  const add = async (bytes: Uint8Array) => {
    await writeAll(handle, bytes, position)
    position += bytes.byteLength
  }
  const addFile = async (name: string, source: AsyncIterable<Uint8Array>, size: number, digest: 'sha256' | 'md5') => {
    const fields = { path: name, size, mode: 0o600, mtime: new Date(), type: 'File' as const }
    const header = new Header(fields)
    const block = Buffer.alloc(BLOCK)
    if (header.encode(block)) await add(new Pax(fields).encode())
    await add(block)
    const written = await pour(handle, source, position, digest)
    if (written.bytes !== size) throw new BackupError(`${name} has ${written.bytes} bytes, and not ${size}.`)
    position += size
    await add(Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK))
    return written
  }
  const spooled = async (name: string, source: AsyncIterable<Uint8Array>, digest: 'sha256' | 'md5') => {
    // One that is there is someone else's, or leads elsewhere: a backup may be written to a folder that others write
    // to.
    const file = await open(spool, 'wx+', 0o600)
    try {
      const { bytes } = await pour(file, source, 0, 'md5')
      return await addFile(name, readChunks(file, 0, bytes), bytes, digest)
    } finally {
      await file.close()
      await rm(spool, { force: true })
    }
  }
  return {
    concurrency: 1,
    write: (name, source, { sizeBytes, digest }) =>
      sizeBytes === null ? spooled(name, source, digest) : addFile(name, source, sizeBytes, digest),
    link: null,
    finish: async () => {
      // Two empty blocks end a tar file.
      await add(Buffer.alloc(2 * BLOCK))
      await handle.sync()
      await handle.close()
      await rename(draft, path)
      await syncDirectory(dirname(path))
    },
    abandon: async () => {
      await handle.close().catch(() => undefined)
      await rm(draft, { force: true })
      await rm(spool, { force: true })
    },
  }
}

/** Writes a source into a file, from `position` on. */
async function pour(
  handle: FileHandle,
  source: AsyncIterable<Uint8Array>,
  position: number,
  digest: 'sha256' | 'md5',
): Promise<WrittenFile> {
  const hash = createHash(digest)
  let bytes = 0
  for await (const chunk of source) {
    hash.update(chunk)
    await writeAll(handle, chunk, position + bytes)
    bytes += chunk.byteLength
  }
  return { bytes, digest: hash.digest('hex') }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.byteLength; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.byteLength - at, position + at)
    at += bytesWritten
  }
}

const CHUNK_BYTES = 256 * 1024

/** Bytes of an open file; throws if it is shorter. */
export async function* readChunks(handle: FileHandle, start: number, lengthBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < lengthBytes; ) {
    const wanted = Math.min(CHUNK_BYTES, lengthBytes - at)
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(wanted), 0, wanted, start + at)
    if (bytesRead === 0) throw new BackupError('A file is shorter than it was said to be.')
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
