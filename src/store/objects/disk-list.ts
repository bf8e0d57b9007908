/** Listing the objects of the disk store. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isKey, type Layout } from './disk-layout.ts'
import { locateObject } from './disk-open.ts'
import { membersOf } from './disk-pack.ts'
import { systemCode } from './disk-write.ts'
import type { ListedObject } from './object-store.ts'

/** In the order of the keys. Directories that cannot hold the prefix are not opened. */
export async function* listObjects(layout: Layout, prefix: string): AsyncIterable<ListedObject> {
  async function* walk(folder: string): AsyncIterable<ListedObject> {
    for (const name of await entriesOf(join(layout.objects, folder))) {
      const key = folder + name
      if (key.endsWith('/')) {
        if (key.startsWith(prefix) || prefix.startsWith(key)) yield* walk(key)
      } else if (key.startsWith(prefix) && isKey(key)) {
        const found = await locateObject(layout, key)
        if (found) yield { key, sizeBytes: found.object.sizeBytes }
      }
    }
  }
  yield* walk('')
}

/** Names in a directory, in key order: an object by its name, a folder or a pack by its name and `/`. */
async function entriesOf(directory: string): Promise<string[]> {
  const packed = (await membersOf(`${directory.replace(/\/$/, '')}=`)).map(String)
  const names = (await namesIn(directory)).map((name) =>
    /[@~]$/.test(name) ? name.slice(0, -1) : `${name.replace(/=$/, '')}/`,
  )
  return [...new Set([...packed, ...names])].sort()
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory)
  } catch (error) {
    // Deleted meanwhile, a pack alone, or a file that is not the store's.
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return []
    throw error
  }
}
