/**
 * The directory layout of the disk store.
 *
 *     objects/<key>@/        object.json and the object's parts
 *     objects/<key>@         the same as one file, of an object that was written whole (disk-whole.ts)
 *     objects/<group>=       objects that were written together, as one file (disk-pack.ts)
 *     objects/<key>~/        the same for the object's previous bytes, only while it is being replaced
 *     uploads/<uploadId>/    upload.json and the parts stored so far
 *     tmp/<process>/         files that are not yet, or no longer, any of these
 *     replacing              which process replaces an object, while one does
 *     dropping               which process deletes objects of a pack, while one does
 *
 * An object is its parts in order: completing an upload checks and renames its directory, at a cost that does not
 * depend on the bytes. One file for each upload, written at the parts' offsets, would be as cheap. But a PUT that is
 * still in progress when the upload completes would write into the finished object, an interrupted second PUT would
 * damage an acknowledged part, and parts of any other size would leave holes. `@`, `~` and `=` cannot be in a key,
 * so an object, a pack and a folder of the same name can coexist.
 */
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { memberOf } from './member-key.ts'
import { type ObjectHead, ObjectStoreError, type StoredPart } from './object-store.ts'

const segment = /^(?!\.{1,2}$)[A-Za-z0-9_.-]{1,200}$/
const uploadIdShape = /^[0-9a-z]{9}-[0-9a-f]{32}$/

/**
 * Whether the hub could have made this key: no empty segment, no `.` or `..`, so that joining it to a directory stays
 * inside.
 */
export function isKey(key: string): boolean {
  return key.length <= 900 && key.split('/').every((part) => segment.test(part))
}

function assertKey(key: string): void {
  if (!isKey(key)) throw new ObjectStoreError('no_such_object', 'The key is not one that the hub makes.')
}

/** Whether this store could have given the id, so that joining it to a directory stays inside. */
export function isUploadId(text: string): boolean {
  return uploadIdShape.test(text)
}

/** Upload ids start with their creation time, so that listing old ones opens no file. */
export function newUploadId(): string {
  return `${Date.now().toString(36).padStart(9, '0')}-${randomBytes(16).toString('hex')}`
}

/** When the upload of this id was started, to the millisecond. */
export function uploadStartedAt(uploadId: string): Date {
  return new Date(Number.parseInt(uploadId.slice(0, 9), 36))
}

export interface Layout {
  readonly root: string
  readonly objects: string
  readonly uploads: string
  readonly tmp: string
  /** The lock of the process that replaces an object. */
  readonly replacing: string
  /** The lock of the process that deletes objects of a pack. */
  readonly dropping: string
  /** The file of a group of objects. */
  pack(group: string): string
  /** Where an object is if it was written together with others; null for a key that is not of such an object. */
  member(key: string): { readonly pack: string; readonly index: number } | null
  /** The directory of an object, and that of its former bytes. */
  object(key: string): { readonly current: string; readonly former: string }
  /** Throws `no_such_upload` for an invalid upload id. */
  upload(uploadId: string): string
}

/** The paths under one root. */
export function layoutOf(root: string): Layout {
  const objects = join(root, 'objects')
  const uploads = join(root, 'uploads')
  return {
    root,
    objects,
    uploads,
    tmp: join(root, 'tmp'),
    replacing: join(root, 'replacing'),
    dropping: join(root, 'dropping'),
    pack: (group) => {
      assertKey(group)
      return join(objects, `${group}=`)
    },
    member: (key) => {
      assertKey(key)
      const member = memberOf(key)
      return member && { pack: join(objects, `${member.group}=`), index: member.index }
    },
    object: (key) => {
      assertKey(key)
      return { current: join(objects, `${key}@`), former: join(objects, `${key}~`) }
    },
    upload: (uploadId) => {
      if (!isUploadId(uploadId)) throw noSuchUpload()
      return join(uploads, uploadId)
    },
  }
}

/** What `object.json` holds, or the header of an object's file with the place of its bytes. */
export interface ObjectDocument extends ObjectHead {
  readonly key: string
  readonly contentType: string | null
  /**
   * In order. A file's name contains its digest, so a name always identifies the same bytes. The bytes begin at `at`:
   * the one file of a whole object, or of a pack, whose part has no name, has its header before them.
   */
  readonly parts: ReadonlyArray<{ readonly file: string; readonly sizeBytes: number; readonly at?: number }>
}

/** The upload was completed, aborted, or never was: from here the three look the same. */
export function noSuchUpload(): ObjectStoreError {
  return new ObjectStoreError('no_such_upload', 'The upload was completed, aborted or never started.')
}

/** Nothing is stored under the key. */
export function noSuchObject(): ObjectStoreError {
  return new ObjectStoreError('no_such_object', 'The object does not exist.')
}

/** A stored part. Its file name contains all of its metadata, so no second file can contradict it. */
export interface PartFile extends StoredPart {
  readonly file: string
  /** Milliseconds, raised over the version it replaces: of two files with one number the later name holds. */
  readonly version: number
}

const partFileShape = /^(\d{5})\.([0-9a-z]{9})\.([0-9a-f]{32})\.(\d+)$/

/** The part and the name of its file. `etag` is the MD5 of its bytes in hex. */
export function partFile(partNumber: number, version: number, etag: string, sizeBytes: number): PartFile {
  const file = `${String(partNumber).padStart(5, '0')}.${version.toString(36).padStart(9, '0')}.${etag}.${sizeBytes}`
  return { partNumber, etag, sizeBytes, file, version }
}

/** Every version of every part among these file names, by number and then by version. */
export function partVersions(files: readonly string[]): PartFile[] {
  return files.toSorted().flatMap((file) => {
    const [, number, version, etag, size] = partFileShape.exec(file) ?? []
    if (!number || !version || !etag || !size) return []
    return [{ partNumber: Number(number), version: Number.parseInt(version, 36), etag, sizeBytes: Number(size), file }]
  })
}

/** The version that holds of each part, by number. */
export function currentParts(files: readonly string[]): Map<number, PartFile> {
  return new Map(partVersions(files).map((part) => [part.partNumber, part]))
}

/** S3's form for assembled objects: the MD5 of the parts' MD5s, and how many there were. */
export function assembledEtag(parts: ReadonlyArray<Pick<StoredPart, 'etag'>>): string {
  const digests = createHash('md5')
  for (const part of parts) digests.update(Buffer.from(part.etag, 'hex'))
  return `${digests.digest('hex')}-${parts.length}`
}
