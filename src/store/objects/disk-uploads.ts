/** Multipart uploads of the disk store. */
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { FOLDER_MODE } from '../private-folder.ts'
import {
  assembledEtag,
  currentParts,
  isUploadId,
  type Layout,
  newUploadId,
  noSuchUpload,
  type PartFile,
  partFile,
  partVersions,
  uploadStartedAt,
} from './disk-layout.ts'
import type { DiskObjects } from './disk-objects.ts'
import type { Scratch } from './disk-scratch.ts'
import { syncDirectory, systemCode, type WriteOptions, writeDocument, writeNewFile } from './disk-write.ts'
import { partWriters } from './disk-writers.ts'
import { type ObjectHead, ObjectStoreError, type StoredPart } from './object-store.ts'

interface UploadDocument {
  readonly key: string
  readonly contentType: string | null
}

export interface PartAddress {
  readonly key: string
  readonly uploadId: string
  readonly partNumber: number
  readonly sizeBytes: number
}

export interface SendOptions extends WriteOptions {
  /** Who sends the part. */
  readonly sender?: string
}

export interface DiskUploads {
  create(key: string, contentType: string | null): Promise<string>
  writePart(address: PartAddress, body: AsyncIterable<Uint8Array>, options?: SendOptions): Promise<StoredPart>
  parts(key: string, uploadId: string): Promise<StoredPart[]>
  complete(key: string, uploadId: string, listed: readonly StoredPart[]): Promise<ObjectHead>
  abort(key: string, uploadId: string): Promise<void>
  startedBefore(before: Date): AsyncIterable<{ key: string; uploadId: string; startedAt: Date }>
}

/** The uploads under a layout; completing one publishes it among `objects`. Calls reject as those do. */
export function diskUploads(layout: Layout, scratch: Scratch, objects: DiskObjects): DiskUploads {
  const writers = partWriters()
  const { openUpload, openLeftUpload, storedParts, placePart } = uploadFolders(layout, scratch)

  const create = async (key: string, contentType: string | null) => {
    layout.object(key)
    const uploadId = newUploadId()
    const draft = scratch.fresh()
    await mkdir(draft, { mode: FOLDER_MODE })
    await writeDocument(join(draft, 'upload.json'), { key, contentType } satisfies UploadDocument)
    await syncDirectory(draft)
    await rename(draft, layout.upload(uploadId))
    await syncDirectory(layout.uploads)
    return uploadId
  }

  const writePart: DiskUploads['writePart'] = async (address, body, { sender, signal, spent } = {}) => {
    const { key, uploadId, partNumber } = address
    const { directory } = await openUpload(key, uploadId)
    const replaces = (await storedParts(key, uploadId)).has(partNumber)
    return writers.run({ uploadId, replaces, sender, signal }, async (ended) => {
      // The request that ended the upload in between saw no writer to end.
      await openUpload(key, uploadId)
      return placePart(directory, address, body, { spent, signal: ended })
    })
  }

  const complete = async (key: string, uploadId: string, listed: readonly StoredPart[]) => {
    const { directory, upload } = await openLeftUpload(key, uploadId)
    chooseParts(currentParts(await filesOf(directory)), listed)
    const sealed = scratch.sealed(uploadId)
    // From here on a part URL finds no upload; a part that arrived since the check above is seen by the one below.
    await renameUpload(directory, sealed)
    try {
      await writers.end(uploadId)
      const files = await readdir(sealed)
      const chosen = chooseParts(currentParts(files), listed)
      const parts = chosen.map(({ file, sizeBytes }) => ({ file, sizeBytes }))
      const sizeBytes = parts.reduce((sum, part) => sum + part.sizeBytes, 0)
      const document = { key, contentType: upload.contentType, sizeBytes, etag: assembledEtag(chosen), parts }
      // What a completion that was cut short has written is among them.
      const kept = new Set([...parts.map((part) => part.file), 'upload.json'])
      for (const file of files) if (!kept.has(file)) await rm(join(sealed, file), { force: true })
      const head = await objects.publish(sealed, document)
      await rm(join(layout.object(key).current, 'upload.json'), { force: true })
      return head
    } catch (error) {
      await rename(sealed, directory).catch(() => undefined)
      throw error
    }
  }

  const abort = async (key: string, uploadId: string) => {
    try {
      const { directory } = await openUpload(key, uploadId)
      await scratch.discard(directory)
      await writers.end(uploadId)
    } catch (error) {
      if (!(error instanceof ObjectStoreError && error.code === 'no_such_upload')) throw error
    }
  }

  async function* startedBefore(before: Date) {
    for (const uploadId of (await readdir(layout.uploads)).filter(isUploadId).sort()) {
      const startedAt = uploadStartedAt(uploadId)
      if (startedAt > before) return
      const upload = await readUpload(layout.upload(uploadId))
      if (upload) yield { key: upload.key, uploadId, startedAt }
    }
  }

  const parts = async (key: string, uploadId: string) =>
    [...(await storedParts(key, uploadId)).values()].map(({ partNumber, etag, sizeBytes }) => ({
      partNumber,
      etag,
      sizeBytes,
    }))

  return { create, writePart, parts, complete, abort, startedBefore }
}

/** The folders of uploads in progress, and the files of their parts. */
function uploadFolders(layout: Layout, scratch: Scratch) {
  /** The upload's directory, if it is in progress and for this key. */
  const openUpload = async (key: string, uploadId: string) => {
    const directory = layout.upload(uploadId)
    const upload = await readUpload(directory)
    if (upload?.key !== key) throw noSuchUpload()
    return { directory, upload }
  }

  const placePart = async (
    directory: string,
    { partNumber, sizeBytes }: PartAddress,
    body: AsyncIterable<Uint8Array>,
    options: WriteOptions,
  ) => {
    const draft = scratch.fresh()
    const { md5 } = await writeNewFile(draft, body, { ...options, sizeBytes })
    try {
      const earlier = partVersions(await readdir(directory)).filter((part) => part.partNumber === partNumber)
      const version = Math.max(Date.now(), ...earlier.map((part) => part.version + 1))
      const part = partFile(partNumber, version, md5, sizeBytes)
      await rename(draft, join(directory, part.file))
      // Only what came before: of two writers at once the later one must stay, whichever of them is first to clean up.
      for (const { file } of earlier) await rm(join(directory, file), { force: true })
      return { partNumber, etag: md5, sizeBytes }
    } catch (error) {
      await rm(draft, { force: true })
      throw systemCode(error) === 'ENOENT' ? noSuchUpload() : error
    }
  }

  /** The same for what completes an upload: also one that a process has left in the middle of its completion. */
  const openLeftUpload = (key: string, uploadId: string) =>
    openUpload(key, uploadId).catch(async (error: unknown) => {
      if (!(error instanceof ObjectStoreError && error.code === 'no_such_upload')) throw error
      // Back in its place by this process, or by the one that completed it, in the meantime.
      await scratch.reclaim(uploadId)
      return openUpload(key, uploadId)
    })

  const storedParts = async (key: string, uploadId: string) => {
    const { directory } = await openLeftUpload(key, uploadId)
    return currentParts(await filesOf(directory))
  }

  return { openUpload, openLeftUpload, storedParts, placePart }
}

async function readUpload(directory: string): Promise<UploadDocument | null> {
  try {
    return JSON.parse(await readFile(join(directory, 'upload.json'), 'utf8')) as UploadDocument
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null
    throw error
  }
}

/** The files of the listed parts, by number; `invalid_part` when the list is not valid. */
function chooseParts(stored: ReadonlyMap<number, PartFile>, listed: readonly StoredPart[]): PartFile[] {
  if (listed.length === 0) throw new ObjectStoreError('invalid_part', 'No part is listed.')
  if (stored.size > listed.length) throw new ObjectStoreError('invalid_part', 'A stored part is not listed.')
  const ordered = listed.toSorted((one, other) => one.partNumber - other.partNumber)
  return ordered.map(({ partNumber, etag }, index) => {
    const part = stored.get(partNumber)
    if (partNumber === ordered[index - 1]?.partNumber)
      throw new ObjectStoreError('invalid_part', `Part ${partNumber} is listed twice.`)
    if (!part) throw new ObjectStoreError('invalid_part', `Part ${partNumber} was never stored.`)
    if (part.etag !== etag) throw new ObjectStoreError('invalid_part', `Part ${partNumber} has another ETag.`)
    return part
  })
}

async function filesOf(directory: string): Promise<string[]> {
  try {
    return await readdir(directory)
  } catch (error) {
    throw systemCode(error) === 'ENOENT' ? noSuchUpload() : error
  }
}

async function renameUpload(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    throw systemCode(error) === 'ENOENT' ? noSuchUpload() : error
  }
}
