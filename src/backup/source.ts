/** A backup that is read: a folder or a tar file. */
import { type FileHandle, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { Header, Pax } from 'tar'
import { systemCode } from '../store/objects/disk-write.ts'
import { BackupError } from './manifest.ts'
import { readChunks } from './sink.ts'

export interface BackupSource {
  /** How many files may be read at a time. */
  readonly concurrency: number
  /**
   * A file of the backup; null if it has none of this name. Files are found fastest in the order in which they were
   * written.
   */
  find(name: string): Promise<FoundFile | null>
  close(): Promise<void>
}

export interface FoundFile {
  readonly sizeBytes: number
  read(): AsyncIterable<Uint8Array>
}

/** Opens a backup by its path; a `BackupError` if nothing is there. */
export async function openSource(path: string): Promise<BackupSource> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new BackupError(`${path} cannot be read: ${cause instanceof Error ? cause.message : cause}`, { cause })
  })
  return found.isDirectory() ? folderSource(path) : tarSource(path, found.size)
}

function folderSource(path: string): BackupSource {
  return {
    concurrency: 8,
    find: async (name) => {
      const file = join(path, name)
      try {
        const { size } = await stat(file)
        return { sizeBytes: size, read: () => readFile(file, size) }
      } catch (error) {
        if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return null
        throw error
      }
    },
    close: async () => {},
  }
}

async function* readFile(path: string, sizeBytes: number): AsyncGenerator<Uint8Array> {
  const handle = await open(path, 'r')
  try {
    yield* readChunks(handle, 0, sizeBytes)
  } finally {
    await handle.close()
  }
}

const BLOCK = 512

interface Entry {
  readonly name: string
  readonly sizeBytes: number
  readonly start: number
  /** Where the next header is. */
  readonly next: number
}

/**
 * Keeps no list of the entries, of which there may be millions: it looks on from the last one that was found, and once
 * more from the start.
 */
async function tarSource(path: string, endBytes: number): Promise<BackupSource> {
  const handle = await open(path, 'r')
  let cursor = 0
  const seek = async (name: string, from: number, to: number): Promise<Entry | null> => {
    for (let at = from; at < to; ) {
      const entry = await entryAt(handle, at, endBytes)
      if (!entry) return null
      if (entry.name === name) return entry
      at = entry.next
    }
    return null
  }
  let finding: Promise<unknown> = Promise.resolve()
  const find = async (name: string): Promise<FoundFile | null> => {
    const entry = (await seek(name, cursor, endBytes)) ?? (await seek(name, 0, cursor))
    if (!entry) return null
    cursor = entry.next
    const { start, sizeBytes } = entry
    return { sizeBytes, read: () => readChunks(handle, start, sizeBytes) }
  }
  return {
    concurrency: 1,
    find: (name) => {
      const found = finding.then(() => find(name))
      finding = found.catch(() => undefined)
      return found
    },
    close: () => handle.close(),
  }
}

/** Null at the end, and where a tar file was cut. */
async function entryAt(handle: FileHandle, at: number, endBytes: number, pax?: Pax): Promise<Entry | null> {
  if (at + BLOCK > endBytes) return null
  const header = new Header(await bytesAt(handle, at, BLOCK), 0, pax)
  if (header.nullBlock) return null
  if (!header.cksumValid || header.path === undefined || header.size === undefined)
    throw new BackupError('The tar file is damaged.')
  const start = at + BLOCK
  const next = start + Math.ceil(header.size / BLOCK) * BLOCK
  if (header.type === 'ExtendedHeader') {
    const text = (await bytesAt(handle, start, header.size)).toString('utf8')
    return entryAt(handle, next, endBytes, Pax.parse(text))
  }
  // A name that was too long for the header stands in the extended one alone.
  return { name: pax?.path ?? header.path, sizeBytes: header.size, start, next }
}

async function bytesAt(handle: FileHandle, start: number, lengthBytes: number): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of readChunks(handle, start, lengthBytes)) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** A small file as text; null if there is none. */
export async function textOf(source: BackupSource, name: string): Promise<string | null> {
  const file = await source.find(name)
  if (!file) return null
  const pieces: Uint8Array[] = []
  for await (const piece of file.read()) pieces.push(piece)
  return Buffer.concat(pieces).toString('utf8')
}

/** The lines of a file, one at a time; a `BackupError` if there is none. */
export async function* linesOf(source: BackupSource, name: string): AsyncGenerator<string> {
  const file = await source.find(name)
  if (!file) throw new BackupError(`The backup has no ${name}.`)
  const input = Readable.from(file.read(), { objectMode: false })
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) if (line !== '') yield line
}
