/** Puts the objects of a backup into the store of the deployment. */
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import pMap from 'p-map'
import { assembledEtag, layoutOf, type ObjectDocument, partFile } from '../store/objects/disk-layout.ts'
import { diskObjects } from '../store/objects/disk-objects.ts'
import { locateObject } from '../store/objects/disk-open.ts'
import { openScratch } from '../store/objects/disk-scratch.ts'
import { systemCode, writeNewFile } from '../store/objects/disk-write.ts'
import type { ObjectHead, ObjectStore, StoredPart } from '../store/objects/object-store.ts'
import { FOLDER_MODE } from '../store/private-folder.ts'
import { objectBatches } from './check-files.ts'
import type { Steps } from './dump-database.ts'
import { BackupError, type ObjectLine, partFileOf } from './manifest.ts'
import type { BackupSource } from './source.ts'

const BATCH = 200

export interface RestoredObjects {
  readonly count: number
  readonly bytes: number
  /** Listed objects that the store does not have, of a backup without their bytes; at most 20. */
  readonly missing: readonly string[]
  readonly missingCount: number
}

/** Makes one object; false if its bytes are not in the backup and the store does not have it. */
type PutObject = (line: ObjectLine) => Promise<boolean>

/** Restores every object of the list; what is there already with the same size and ETag is left. */
export async function putObjects(source: BackupSource, put: PutObject, steps: Steps): Promise<RestoredObjects> {
  const done = { count: 0, bytes: 0, missing: [] as string[], missingCount: 0 }
  for await (const batch of objectBatches(source, BATCH)) {
    const putCounted = async (line: ObjectLine) => {
      if (await put(line)) {
        done.count += 1
        done.bytes += line.size_bytes
      } else {
        done.missingCount += 1
        if (done.missing.length < 20) done.missing.push(line.key)
      }
      steps.at(done)
    }
    await pMap(batch, putCounted, { concurrency: source.concurrency })
  }
  return done
}

async function partOf(source: BackupSource, line: ObjectLine, number: number) {
  const name = partFileOf(line.key, number)
  const file = await source.find(name)
  if (!file) throw new BackupError(`${name} is missing.`)
  return file
}

/** Writes parts as the disk store has them. No hub may be running. */
export async function diskPutter(
  dir: string,
  source: BackupSource,
): Promise<{ put: PutObject; close(): Promise<void> }> {
  const layout = layoutOf(dir)
  const scratch = await openScratch(layout)
  const objects = diskObjects(layout, scratch)
  const put: PutObject = async (line) => {
    const there = await locateObject(layout, line.key)
    if (there && there.object.sizeBytes === line.size_bytes && there.object.etag === line.etag) return true
    if (line.parts.length === 0) return false
    const directory = scratch.fresh()
    await mkdir(directory, { mode: FOLDER_MODE })
    const parts: ObjectDocument['parts'][number][] = []
    for (const [index, part] of line.parts.entries()) {
      const { file } = partFile(index + 1, 0, part.md5, part.size_bytes)
      const bytes = (await partOf(source, line, index + 1)).read()
      const written = await writeNewFile(join(directory, file), bytes, { sizeBytes: part.size_bytes })
      if (written.md5 !== part.md5) throw new BackupError(`${partFileOf(line.key, index + 1)} is damaged.`)
      parts.push({ file, sizeBytes: part.size_bytes })
    }
    const { key, etag, size_bytes: sizeBytes, content_type: contentType } = line
    await objects.publish(directory, { key, etag, sizeBytes, contentType, parts })
    return true
  }
  return { put, close: () => scratch.close() }
}

/** More than a single request to S3 may have. */
const ONE_PUT_BYTES = 5 * 1024 ** 3
const PART_TTL_S = 3600

/** Sends objects to a store by its interface: in one request, or as the parts of an upload. */
export function storePutter(store: ObjectStore, source: BackupSource): PutObject {
  const putParts = async (line: ObjectLine) => {
    const uploadId = await store.createUpload(line.key, {})
    try {
      const parts: StoredPart[] = []
      for (const [index, { size_bytes: sizeBytes }] of line.parts.entries()) {
        const partNumber = index + 1
        const url = await store.signPart(line.key, uploadId, { partNumber, sizeBytes }, PART_TTL_S)
        const body = Readable.toWeb(
          Readable.from((await partOf(source, line, partNumber)).read(), { objectMode: false }),
        )
        const headers = { 'content-length': String(sizeBytes) }
        const answer = await fetch(url, { method: 'PUT', body, headers, duplex: 'half' } as RequestInit)
        const etag = answer.headers.get('etag')?.replaceAll('"', '')
        await answer.body?.cancel()
        if (!answer.ok || !etag)
          throw new BackupError(`The object store refused a part of ${line.key} (${answer.status}).`)
        parts.push({ partNumber, etag, sizeBytes })
      }
      await store.completeUpload(line.key, uploadId, parts)
    } catch (error) {
      await store.abortUpload(line.key, uploadId).catch(() => undefined)
      throw error
    }
  }
  return async (line) => {
    const there = await store.head(line.key)
    if (there && hasTheseBytes(there, line)) return true
    const [only] = line.parts
    if (!only) return false
    if (line.parts.length === 1 && only.size_bytes <= ONE_PUT_BYTES) {
      const body = Readable.from((await partOf(source, line, 1)).read(), { objectMode: false })
      await store.put(line.key, body, { sizeBytes: only.size_bytes })
    } else await putParts(line)
    return true
  }
}

/**
 * By the ETag that the object had, or the one that it has from a restore: in one request the MD5 of its bytes, else
 * that of its parts. Of bytes that are not in the backup only the size is known for sure: a copy of a bucket may have
 * been made in other parts.
 */
function hasTheseBytes(there: ObjectHead, { size_bytes: sizeBytes, etag, parts }: ObjectLine): boolean {
  if (there.sizeBytes !== sizeBytes) return false
  const [only] = parts
  if (!only) return true
  const restored = parts.length === 1 ? only.md5 : assembledEtag(parts.map(({ md5 }) => ({ etag: md5 })))
  return there.etag === etag || there.etag === restored
}

/** Where the objects of before go, until the restore has ended. */
export const asideOf = (dir: string) => `${dir}.before-restore-${Date.now()}`

/** Puts the objects of a disk store aside at once; done already if `aside` is there. */
export async function setAside(dir: string, aside: string): Promise<void> {
  if (await stat(aside).catch(() => null)) return
  await rename(dir, aside).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw error
  })
}

/** Undoes `setAside`, in the place of what a restore of another backup has restored since. */
export async function bringBack(dir: string, aside: string): Promise<void> {
  if (!(await stat(aside).catch(() => null))) return
  await rm(dir, { recursive: true, force: true })
  await rename(aside, dir)
}

/** Removes what this restore, and any that was interrupted, put aside. */
export async function removeAside(dir: string): Promise<void> {
  for (const name of await readdir(dirname(dir)).catch(() => [])) {
    if (name.startsWith(`${basename(dir)}.before-restore-`))
      await rm(join(dirname(dir), name), { recursive: true, force: true })
  }
}
