/** Finished objects of the disk store: read, published, listed, deleted. */
import { copyFile, type FileHandle, link, mkdir, open, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { FILE_MODE, FOLDER_MODE } from '../private-folder.ts'
import { withFileLock } from '../start-lock.ts'
import { isKey, type Layout, noSuchObject, type ObjectDocument, partFile } from './disk-layout.ts'
import { readSegments, segmentsOf } from './disk-read.ts'
import type { Scratch } from './disk-scratch.ts'
import { headerOf, openWhole, readWhole, writeWhole } from './disk-whole.ts'
import { makeDirectories, syncDirectory, systemCode, writeDocument } from './disk-write.ts'
import { type ByteRange, type ListedObject, type ObjectHead, ObjectStoreError } from './object-store.ts'

export interface DiskObjects {
  find(key: string): Promise<ObjectDocument | null>
  read(key: string, range?: ByteRange): Promise<{ body: Readable; object: ObjectDocument }>
  /**
   * Turns a directory with the document's parts into the object, replacing an existing one. The result is durable on
   * return.
   */
  publish(directory: string, document: ObjectDocument): Promise<ObjectHead>
  /** Writes bytes as an object of one file, in the same way; null if it cannot be one. */
  putWhole(key: string, bytes: Uint8Array, options: WholeOptions): Promise<ObjectHead | null>
  copy(fromKey: string, toKey: string): Promise<ObjectHead>
  remove(key: string): Promise<void>
  list(prefix: string): AsyncIterable<ListedObject>
}

export interface WholeOptions {
  readonly contentType?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** A directory may lose the race against the pruning of an empty one, or against another replacement, this often. */
const PUBLISH_ATTEMPTS = 20

/** The finished objects under a layout. Calls reject with `ObjectStoreError`, or with the system's own error. */
export function diskObjects(layout: Layout, scratch: Scratch): DiskObjects {
  const locate = (key: string) => locateObject(layout, key)

  const find = async (key: string) => (await locate(key))?.object ?? null

  const read = async (key: string, range?: ByteRange) => {
    const { directory, object, handle } = await openLocated(await locate(key))
    try {
      if (range && range.start >= object.sizeBytes) {
        throw new ObjectStoreError('invalid_range', `The object has ${object.sizeBytes} bytes.`)
      }
      const files = object.parts.map(({ file, ...part }) => ({ ...part, path: join(directory, file) }))
      const segments = segmentsOf(files, range?.start ?? 0, range?.end ?? object.sizeBytes - 1)
      const first = handle ?? (await openPart(segments[0]?.path ?? join(directory, 'object.json')))
      return { body: readSegments(segments, first), object }
    } catch (error) {
      await handle?.close()
      throw error
    }
  }

  // One at a time, of all processes on the disk: between its two renames a replacement relies on the former bytes
  // staying where it put them.
  let replacements: Promise<void> = Promise.resolve()
  const replace = (directory: string, key: string) => {
    const turn = replacements.then(() =>
      withFileLock(layout.replacing, busy, async () => {
        const { current, former } = layout.object(key)
        await scratch.discard(former)
        await rename(current, former)
        await rename(directory, current)
        await scratch.discard(former)
      }),
    )
    replacements = turn.catch(() => undefined)
    return turn
  }

  /** Gives a directory or file its place. The folder of the keys is nearly always there: it is made after a failure. */
  const place = async (path: string, { key, sizeBytes, etag }: ObjectDocument) => {
    const { current } = layout.object(key)
    for (let attempt = 1; ; attempt += 1) {
      try {
        await rename(path, current)
        break
      } catch (error) {
        if (attempt === PUBLISH_ATTEMPTS || !isInTheWay(error)) throw error
        if (systemCode(error) === 'ENOENT') {
          await makeDirectories(dirname(current))
          continue
        }
      }
      if (await succeeds(replace(path, key))) break
    }
    await syncDirectory(dirname(current))
    return { sizeBytes, etag }
  }

  const publish = async (directory: string, document: ObjectDocument) => {
    await writeDocument(join(directory, 'object.json'), document)
    await syncDirectory(directory)
    return place(directory, document)
  }

  const putWhole = async (key: string, bytes: Uint8Array, { contentType, signal }: WholeOptions) => {
    const whole = headerOf(key, bytes, contentType ?? null)
    if (!whole) return null
    const path = scratch.fresh()
    await writeWhole(path, whole.header, bytes)
    try {
      signal?.throwIfAborted()
      return await place(path, whole.document)
    } catch (error) {
      await rm(path, { force: true })
      throw error
    }
  }

  const copy = async (fromKey: string, toKey: string) => {
    const found = await locate(fromKey)
    if (!found) throw noSuchObject()
    const directory = scratch.fresh()
    await mkdir(directory, { mode: FOLDER_MODE })
    try {
      // The file of a whole object has its header before the bytes, also as the part of a copy.
      const whole = () => partFile(1, 0, found.object.etag, found.object.sizeBytes).file
      const parts = found.object.parts.map((part) => ({ ...part, file: part.file || whole() }))
      for (const [index, { file }] of found.object.parts.entries())
        await share(join(found.directory, file), join(directory, parts[index]?.file ?? ''))
      return await publish(directory, { ...found.object, key: toKey, parts })
    } catch (error) {
      await scratch.discard(directory)
      throw systemCode(error) === 'ENOENT' ? noSuchObject() : error
    }
  }

  const remove = async (key: string) => {
    const { current, former } = layout.object(key)
    await scratch.discard(former)
    await scratch.discard(current)
    await pruneEmpty(dirname(current), layout.objects)
  }

  return { find, read, publish, putWhole, copy, remove, list: (prefix) => listObjects(layout, prefix, find) }
}

/** A folder with its document, or the file of a whole object. */
export interface Located {
  readonly directory: string
  readonly object: ObjectDocument
}

/** Where an object's parts are, without opening the store; null if there is no such object. */
export async function locateObject(layout: Layout, key: string): Promise<Located | null> {
  const { current, former } = layout.object(key)
  // The third look is for a replacement that ended between the first and the second.
  for (const directory of [current, former, current]) {
    const object = await readObjectDocument(directory)
    if (object) return { directory, object }
  }
  return null
}

/** A whole object with its open file, which may have been replaced since it was located; a folder as it is. */
async function openLocated(found: Located | null): Promise<Located & { readonly handle: FileHandle | null }> {
  if (!found) throw noSuchObject()
  if (found.object.parts[0]?.file !== '') return { ...found, handle: null }
  const opened = await openWhole(found.directory)
  if (!opened) throw noSuchObject()
  return { directory: found.directory, ...opened }
}

const openPart = (path: string) =>
  open(path, 'r').catch((error: unknown) => {
    throw systemCode(error) === 'ENOENT' ? noSuchObject() : error
  })

/** Why a rename may fail that is tried again: a folder is not there yet, or other bytes are in the place. */
const isInTheWay = (error: unknown) =>
  ['ENOENT', 'ENOTEMPTY', 'EEXIST', 'EISDIR', 'ENOTDIR'].includes(systemCode(error) ?? '')

const busy = (holder: string) => `Another process (${holder}) is still replacing an object.`

/** False when another replacement or a deletion came in between, which is tried again; other failures are thrown. */
async function succeeds(work: Promise<void>): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    if (isInTheWay(error)) return false
    throw error
  }
}

async function readObjectDocument(directory: string): Promise<ObjectDocument | null> {
  try {
    return JSON.parse(await readFile(join(directory, 'object.json'), 'utf8')) as ObjectDocument
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null
    if (systemCode(error) === 'ENOTDIR') return readWhole(directory)
    throw error
  }
}

/** Parts never change, so two objects may have one file; where the file system has no links the bytes are copied. */
async function share(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') throw error
    await copyFile(from, to)
    const handle = await open(to, 'r+')
    try {
      await handle.chmod(FILE_MODE)
      await handle.sync()
    } finally {
      await handle.close()
    }
  }
}

/** Random keys would else leave an empty directory each. */
async function pruneEmpty(directory: string, root: string): Promise<void> {
  for (let at = directory; at !== root; at = dirname(at)) {
    try {
      await rmdir(at)
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') return
    }
  }
}

/** In the order of the keys. Directories that cannot hold the prefix are not opened. */
async function* listObjects(
  layout: Layout,
  prefix: string,
  find: (key: string) => Promise<ObjectDocument | null>,
): AsyncIterable<ListedObject> {
  async function* walk(folder: string): AsyncIterable<ListedObject> {
    for (const name of await entriesOf(join(layout.objects, folder))) {
      const key = folder + name
      if (key.endsWith('/')) {
        if (key.startsWith(prefix) || prefix.startsWith(key)) yield* walk(key)
      } else if (key.startsWith(prefix) && isKey(key)) {
        const object = await find(key)
        if (object) yield { key, sizeBytes: object.sizeBytes }
      }
    }
  }
  yield* walk('')
}

/** Names in a directory, in key order: an object by its name, a folder by its name and `/`. */
async function entriesOf(directory: string): Promise<string[]> {
  try {
    const names = await readdir(directory)
    const marked = names.map((name) => (/[@~]$/.test(name) ? name.slice(0, -1) : `${name}/`))
    return [...new Set(marked)].sort()
  } catch (error) {
    // Deleted meanwhile, or a file that is not the store's.
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return []
    throw error
  }
}
