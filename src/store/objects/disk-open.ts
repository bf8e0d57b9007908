/** Finding an object of the disk store: a folder with its parts, a file of its own, or a place in a pack. */
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Layout, noSuchObject, type ObjectDocument } from './disk-layout.ts'
import { openMember } from './disk-pack.ts'
import { openWhole } from './disk-whole.ts'
import { systemCode } from './disk-write.ts'

/** A folder with its document, or the one file that has the object. */
export interface Located {
  readonly directory: string
  readonly object: ObjectDocument
}

/** `handle`: of the one file, which stays the same whatever takes its place; null for a folder. */
export interface OpenObject extends Located {
  readonly handle: FileHandle | null
}

/** Where an object's parts are, without opening the store; null if there is no such object. */
export async function locateObject(layout: Layout, key: string): Promise<Located | null> {
  const found = await openObject(layout, key)
  await found?.handle?.close()
  return found
}

/** An object with its open file, which the caller closes; null if there is no such object. */
export async function openObject(layout: Layout, key: string): Promise<OpenObject | null> {
  const packed = await openPacked(layout, key)
  if (packed) return packed
  const { current, former } = layout.object(key)
  // The third look is for a replacement that ended between the first and the second.
  for (const directory of [current, former, current]) {
    const found = await openAt(directory)
    if (found) return found
  }
  return null
}

async function openPacked(layout: Layout, key: string): Promise<OpenObject | null> {
  const place = layout.member(key)
  const found = place && (await openMember(place.pack, place.index))
  if (!found) return null
  const { handle, member } = found
  const { sizeBytes, etag, at } = member
  const parts = [{ file: '', sizeBytes, at }]
  return { directory: place.pack, object: { key, contentType: null, sizeBytes, etag, parts }, handle }
}

async function openAt(directory: string): Promise<OpenObject | null> {
  try {
    const document = await readFile(join(directory, 'object.json'), 'utf8')
    return { directory, object: JSON.parse(document) as ObjectDocument, handle: null }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null
    if (systemCode(error) !== 'ENOTDIR') throw error
  }
  const whole = await openWhole(directory)
  return whole && { directory, ...whole }
}

/** The file of a part, which was there when its object was found. */
export const openPart = (path: string): Promise<FileHandle> =>
  open(path, 'r').catch((error: unknown) => {
    throw systemCode(error) === 'ENOENT' ? noSuchObject() : error
  })
