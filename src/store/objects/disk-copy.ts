/** Copies an object of the disk store; what has parts shares their files. */
import { copyFile, type FileHandle, link, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { FILE_MODE, FOLDER_MODE } from '../private-folder.ts'
import { type Layout, noSuchObject, type ObjectDocument, partFile } from './disk-layout.ts'
import { openObject } from './disk-open.ts'
import type { DiskPublishing } from './disk-publish.ts'
import { readSegments, segmentsOf } from './disk-read.ts'
import type { Scratch } from './disk-scratch.ts'
import { systemCode } from './disk-write.ts'
import type { ObjectHead } from './object-store.ts'

interface Copying {
  readonly layout: Layout
  readonly scratch: Scratch
  readonly publishing: DiskPublishing
}

/** Throws `no_such_object` where there is none, or no more. */
export async function copyObject(
  { layout, scratch, publishing: into }: Copying,
  fromKey: string,
  toKey: string,
): Promise<ObjectHead> {
  const found = await openObject(layout, fromKey)
  if (!found) throw noSuchObject()
  // The file of a pack is that of others, too, so what is copied out of one is bytes.
  if (found.handle && found.directory === layout.member(fromKey)?.pack) {
    const copied = await into.putWhole(toKey, await bytesOf(found.handle, found.object), {})
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
    return await into.publish(directory, { ...found.object, key: toKey, parts })
  } catch (error) {
    await scratch.discard(directory)
    throw systemCode(error) === 'ENOENT' ? noSuchObject() : error
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
