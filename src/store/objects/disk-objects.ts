/** Finished objects of the disk store: read, published, listed, deleted. */
import { access, copyFile, type FileHandle, link, mkdir, open, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { FILE_MODE, FOLDER_MODE } from '../private-folder.ts'
import { withMarkedLock } from '../start-lock.ts'
import { type Layout, noSuchObject, type ObjectDocument, partFile } from './disk-layout.ts'
import { listObjects } from './disk-list.ts'
import { locateObject, openObject, openPart } from './disk-open.ts'
import { dropMembers, writePack } from './disk-pack.ts'
import { readSegments, segmentsOf } from './disk-read.ts'
import type { Scratch } from './disk-scratch.ts'
import { headerOf, writeWhole } from './disk-whole.ts'
import { makeDirectories, syncDirectory, systemCode, writeDocument } from './disk-write.ts'
import { MOST_TOGETHER } from './member-key.ts'
import { type ByteRange, type ListedObject, type ObjectHead, ObjectStoreError } from './object-store.ts'

export interface DiskObjects {
  find(key: string): Promise<ObjectDocument | null>
  read(key: string, range?: ByteRange): Promise<{ body: Readable; object: ObjectDocument }>
  /** The same with one look for the object, where what is read depends on it. */
  open(
    key: string,
    wanted: (object: ObjectDocument) => Wanted,
  ): Promise<{ readonly body: Readable | null; readonly object: ObjectDocument }>
  /**
   * Turns a directory with the document's parts into the object, replacing an existing one. The result is durable on
   * return.
   */
  publish(directory: string, document: ObjectDocument): Promise<ObjectHead>
  /** Writes bytes as an object of one file, in the same way; null if it cannot be one. */
  putWhole(key: string, bytes: Uint8Array, options: WholeOptions): Promise<ObjectHead | null>
  /** Writes objects from memory as one file, durable on return. */
  putTogether(group: string, bodies: readonly Uint8Array[], signal?: AbortSignal): Promise<readonly ObjectHead[]>
  copy(fromKey: string, toKey: string): Promise<ObjectHead>
  remove(keys: readonly string[]): Promise<void>
  list(prefix: string): AsyncIterable<ListedObject>
}

/** Which bytes of an object are read. */
export type Wanted = ByteRange | 'whole' | 'nothing'

export interface WholeOptions {
  readonly contentType?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** A directory may lose the race against the pruning of an empty one, or against another replacement, this often. */
const PUBLISH_ATTEMPTS = 20

/** The finished objects under a layout. Calls reject with `ObjectStoreError`, or with the system's own error. */
export function diskObjects(layout: Layout, scratch: Scratch): DiskObjects {
  const find = async (key: string) => (await locateObject(layout, key))?.object ?? null

  const opened = async (key: string, wanted: (object: ObjectDocument) => Wanted) => {
    const found = await openObject(layout, key)
    if (!found) throw noSuchObject()
    const { directory, object, handle } = found
    try {
      const bytes = wanted(object)
      if (bytes === 'nothing') {
        await handle?.close()
        return { body: null, object }
      }
      const range = bytes === 'whole' ? null : bytes
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
  const read = async (key: string, range?: ByteRange) => {
    const { body, object } = await opened(key, () => range ?? 'whole')
    if (!body) throw new Error('Bytes were asked for, and none were opened.')
    return { body, object }
  }

  // One at a time, of all processes on the disk: between its two renames a replacement relies on the former bytes
  // staying where it put them.
  let replacements: Promise<void> = Promise.resolve()
  const replace = (directory: string, key: string) => {
    const turn = replacements.then(() =>
      withMarkedLock({ path: layout.replacing, mark: scratch.mark, busy }, async () => {
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

  /** One at a time, of all processes on the disk, as `dropMembers` wants it. */
  let drops: Promise<void> = Promise.resolve()
  const drop = async (pack: string, indexes: readonly number[]) => {
    // Most keys that end in a number are of no pack.
    if (!(await isThere(pack))) return
    const turn = drops.then(() =>
      withMarkedLock({ path: layout.dropping, mark: scratch.mark, busy: busyDropping }, () =>
        dropMembers(pack, indexes, scratch.fresh),
      ),
    )
    drops = turn.catch(() => undefined)
    return turn
  }

  /** Gives a directory or file its place. */
  const place = async (path: string, { key, sizeBytes, etag }: ObjectDocument) => {
    const { current } = layout.object(key)
    for (let attempt = 1; ; attempt += 1) {
      try {
        await renameInto(path, current)
        break
      } catch (error) {
        if (attempt === PUBLISH_ATTEMPTS || !isInTheWay(error)) throw error
      }
      if (await succeeds(replace(path, key))) break
    }
    await syncDirectory(dirname(current))
    // An object of the same key in a pack is found first.
    const packed = layout.member(key)
    if (packed) await drop(packed.pack, [packed.index])
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

  const putTogether: DiskObjects['putTogether'] = async (group, bodies, signal) => {
    if (bodies.length > MOST_TOGETHER) throw new Error(`A group has at most ${MOST_TOGETHER} objects.`)
    const pack = layout.pack(group)
    const draft = scratch.fresh()
    const heads = await writePack(draft, bodies)
    try {
      signal?.throwIfAborted()
      await renameInto(draft, pack)
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
    await syncDirectory(dirname(pack))
    return heads
  }

  const copy = async (fromKey: string, toKey: string) => {
    const found = await openObject(layout, fromKey)
    if (!found) throw noSuchObject()
    // The file of a pack is that of others, too, so what is copied out of one is bytes.
    if (found.handle && found.directory === layout.member(fromKey)?.pack) {
      const copied = await putWhole(toKey, await bytesOf(found.handle, found.object), {})
      if (copied) return copied
      throw noSuchObject()
    }
    await found.handle?.close()
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

  const removeOwn = async (key: string) => {
    const { current, former } = layout.object(key)
    await scratch.discard(former)
    await scratch.discard(current)
    await pruneEmpty(dirname(current), layout.objects)
  }

  const remove = async (keys: readonly string[]) => {
    const packs = new Map<string, number[]>()
    for (const key of keys) {
      await removeOwn(key)
      const member = layout.member(key)
      if (!member) continue
      const indexes = packs.get(member.pack) ?? []
      packs.set(member.pack, indexes)
      indexes.push(member.index)
    }
    for (const [pack, indexes] of packs) {
      await drop(pack, indexes)
      await pruneEmpty(dirname(pack), layout.objects)
    }
  }

  const list = (prefix: string) => listObjects(layout, prefix)
  return { find, read, open: opened, publish, putWhole, putTogether, copy, remove, list }
}

/** Gives a file its name. The folder is nearly always there: it is made after a failure, and may be pruned again. */
async function renameInto(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await rename(from, to)
    } catch (error) {
      if (systemCode(error) !== 'ENOENT' || attempt === PUBLISH_ATTEMPTS) throw error
    }
    await makeDirectories(dirname(to))
  }
}

/** The bytes of an object that is one small file or less; closes it. */
async function bytesOf(handle: FileHandle, object: ObjectDocument): Promise<Buffer> {
  const [part] = object.parts
  return buffer(
    readSegments(
      segmentsOf([{ path: '', sizeBytes: object.sizeBytes, at: part?.at ?? 0 }], 0, object.sizeBytes - 1),
      handle,
    ),
  )
}

/** Why a rename may fail that is tried again: a folder is not there yet, or other bytes are in the place. */
const isInTheWay = (error: unknown) =>
  ['ENOENT', 'ENOTEMPTY', 'EEXIST', 'EISDIR', 'ENOTDIR'].includes(systemCode(error) ?? '')

const busy = (holder: string) => `Another process (${holder}) is still replacing an object.`
const busyDropping = (holder: string) => `Another process (${holder}) is still deleting objects of a pack.`

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

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
