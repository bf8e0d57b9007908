/** Finished objects of the disk store: read, published, listed, deleted. */
import { rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { copyObject } from './disk-copy.ts'
import { type Layout, noSuchObject, type ObjectDocument } from './disk-layout.ts'
import { listObjects } from './disk-list.ts'
import { locateObject, openObject, openPart } from './disk-open.ts'
import { type DiskPlaces, diskPlaces } from './disk-places.ts'
import { type DiskPublishing, diskPublishing } from './disk-publish.ts'
import { readSegments, segmentsOf } from './disk-read.ts'
import type { Scratch } from './disk-scratch.ts'
import { systemCode } from './disk-write.ts'
import { type ByteRange, type ListedObject, type ObjectHead, ObjectStoreError } from './object-store.ts'

export interface DiskObjects extends DiskPublishing {
  find(key: string): Promise<ObjectDocument | null>
  read(key: string, range?: ByteRange): Promise<{ body: Readable; object: ObjectDocument }>
  /** The same with one look for the object, where what is read depends on it. */
  open(
    key: string,
    wanted: (object: ObjectDocument) => Wanted,
  ): Promise<{ readonly body: Readable | null; readonly object: ObjectDocument }>
  copy(fromKey: string, toKey: string): Promise<ObjectHead>
  remove(keys: readonly string[]): Promise<void>
  list(prefix: string): AsyncIterable<ListedObject>
}

/** Which bytes of an object are read. */
export type Wanted = ByteRange | 'whole' | 'nothing'

/** The finished objects under a layout. Calls reject with `ObjectStoreError`, or with the system's own error. */
export function diskObjects(layout: Layout, scratch: Scratch): DiskObjects {
  const places = diskPlaces(layout, scratch)
  const publishing = diskPublishing(layout, scratch, places)
  return {
    find: async (key) => (await locateObject(layout, key))?.object ?? null,
    async read(key, range) {
      const { body, object } = await openBytes(layout, key, () => range ?? 'whole')
      if (!body) throw new Error('Bytes were asked for, and none were opened.')
      return { body, object }
    },
    open: (key, wanted) => openBytes(layout, key, wanted),
    ...publishing,
    copy: (fromKey, toKey) => copyObject({ layout, scratch, publishing }, fromKey, toKey),
    remove: removal(layout, scratch, places),
    list: (prefix) => listObjects(layout, prefix),
  }
}

/** An object and those of its bytes that are wanted, found and opened once. */
async function openBytes(layout: Layout, key: string, wanted: (object: ObjectDocument) => Wanted) {
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

function removal(layout: Layout, scratch: Scratch, places: DiskPlaces): DiskObjects['remove'] {
  const removeOwn = async (key: string) => {
    const { current, former } = layout.object(key)
    await scratch.discard(former)
    await scratch.discard(current)
    await pruneEmpty(dirname(current), layout.objects)
  }

  return async (keys) => {
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
      await places.drop(pack, indexes)
      await pruneEmpty(dirname(pack), layout.objects)
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
