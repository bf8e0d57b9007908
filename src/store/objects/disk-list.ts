/** Listing the objects of the disk store. */
import { opendir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isKey, type Layout } from './disk-layout.ts'
import { locateObject } from './disk-open.ts'
import { membersOf } from './disk-pack.ts'
import { systemCode } from './disk-write.ts'
import type { ListedObject } from './object-store.ts'

/** Names that are read at once: a folder may have a million, and the event loop turns between two pieces. */
const NAMES_AT_ONCE = 512

/** `runs/` may hold a million jobs; a job holds some thousand objects. */
const LARGE_DEPTH = 2

/** Starts at the folder that the prefix names, however many stand beside it. */
export async function* listObjects(layout: Layout, prefix: string): AsyncIterable<ListedObject> {
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1)
  if (folder !== '' && !isKey(folder.slice(0, -1))) return
  for await (const key of keysIn(layout, folder, prefix)) {
    if (!isKey(key)) continue
    const found = await locateObject(layout, key)
    if (found) yield { key, sizeBytes: found.object.sizeBytes }
  }
}

/** Keys with this prefix in a folder and in the pack of its name. */
async function* keysIn(layout: Layout, folder: string, prefix: string): AsyncIterable<string> {
  if (folder !== '') yield* packedIn(layout, folder, prefix)
  yield* filedIn(layout, folder, prefix)
}

async function* packedIn(layout: Layout, folder: string, prefix: string): AsyncIterable<string> {
  for (const index of await membersOf(join(layout.objects, `${folder.slice(0, -1)}=`))) {
    const key = `${folder}${index}`
    if (key.startsWith(prefix)) yield key
  }
}

async function* filedIn(layout: Layout, folder: string, prefix: string): AsyncIterable<string> {
  const replaced = new Set<string>()
  for await (const name of namesIn(layout, folder)) {
    const [, base = '', mark] = /^(.*?)([@~=]?)$/.exec(name) ?? []
    const key = folder + base
    if (mark === '=') yield* packedIn(layout, `${key}/`, prefix)
    else if (!key.startsWith(prefix) || replaced.has(key)) continue
    else if (mark === '') yield* filedIn(layout, `${key}/`, prefix)
    else {
      if (mark === '~') replaced.add(key)
      yield key
    }
  }
}

/** In pieces where a folder holds all objects of a kind; at once below that, which costs one call in place of three. */
async function* namesIn(layout: Layout, folder: string): AsyncIterable<string> {
  const directory = join(layout.objects, folder)
  try {
    if (folder.split('/').length > LARGE_DEPTH) yield* await readdir(directory)
    else for await (const { name } of await opendir(directory, { bufferSize: NAMES_AT_ONCE })) yield name
  } catch (error) {
    // Deleted meanwhile, a pack alone, or a file that is not the store's.
    if (systemCode(error) !== 'ENOENT' && systemCode(error) !== 'ENOTDIR') throw error
  }
}
