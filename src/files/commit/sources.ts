/** The bytes that a commit names: sent ahead, or in a file that the caller can read. */
import type { AllowedContext } from '../../operation/context.ts'
import { HubError, type Loc } from '../../platform/errors.ts'
import type { RepoFacts } from '../../repos/get-repo.ts'
import type { ObjectStore } from '../../store/objects/object-store.ts'
import { findSentAhead } from '../blobs/blob-rows.ts'
import { readFirstBytes } from '../hash-object.ts'
import { STORE_CONCURRENCY } from '../limits.ts'
import type { NewBlob } from '../link-blobs.ts'
import { sniffMime } from '../mime.ts'
import { settleBounded } from '../objects.ts'
import { contentOf, findReadable, type ReadableBlob } from '../readable-blobs.ts'
import { storedParts } from '../resume-uploads.ts'
import type { CompletedUpload } from '../schemas.ts'
import type { UploadRow } from '../upload-sql.ts'
import type { Added } from './commit-input.ts'

export interface Sources {
  /** The upload for each content that was sent ahead. */
  readonly uploads: readonly UploadRow[]
  /** The parts of each as the store has them; none where all of them are checked. */
  readonly named: readonly CompletedUpload[]
  /** Contents that the hub has in files that the caller can read. */
  readonly readable: ReadonlyMap<string, ReadableBlob>
}

/** The bytes that are looked for. */
export interface Wanted {
  readonly repo: RepoFacts
  /** `path` is what a message calls the bytes. */
  readonly added: readonly Added[]
  /** Where the request names the digest of `added` at an index. */
  readonly locOf: (index: number) => Loc
  /** Contents that the caller can read without a file that has them. */
  readonly known?: ReadonlyMap<string, ReadableBlob>
}

/**
 * Where the bytes of each content are. An upload goes before a readable file, so that its reservation ends. 422
 * `upload.part_missing` for bytes that are in neither.
 */
export async function findSources(
  ctx: AllowedContext,
  objects: ObjectStore,
  { repo, added, locOf, known = new Map() }: Wanted,
): Promise<Sources> {
  if (added.length === 0) return { uploads: [], named: [], readable: new Map() }
  const byContent = new Map<string, UploadRow>()
  for (const row of await findSentAhead(ctx, repo.id, added)) {
    const key = contentOf(row)
    if (!byContent.has(key)) byContent.set(key, row)
  }
  const wanted = new Set(added.map(contentOf))
  const rest = added.filter((one) => byContent.get(contentOf(one))?.etag == null)
  const files = rest.length > 0 ? await findReadable(ctx, repo.id, rest) : new Map<string, ReadableBlob>()
  const readable = new Map([...files, ...rest.flatMap((one) => entryOf(known, contentOf(one)))])
  // Parts of an upload that is not checked may be missing; readable bytes are there.
  for (const key of readable.keys()) byContent.delete(key)
  assertAllThere(added, locOf, (key) => byContent.has(key) || readable.has(key))
  const uploads = [...byContent].flatMap(([key, row]) => (wanted.has(key) ? [row] : []))
  return { uploads, named: await namedParts(ctx, objects, uploads), readable }
}

function entryOf<T>(map: ReadonlyMap<string, T>, key: string): [string, T][] {
  const value = map.get(key)
  return value === undefined ? [] : [[key, value]]
}

function assertAllThere(added: readonly Added[], locOf: Wanted['locOf'], isThere: (key: string) => boolean): void {
  const items = added.flatMap((one, index) => {
    if (isThere(contentOf(one))) return []
    const detail = `The bytes of ${JSON.stringify(one.path)} were not sent to this repo: presign them, and send them first.`
    return [{ type: 'upload.part_missing', detail, loc: locOf(index) }]
  })
  const [first] = items
  if (first) throw new HubError('upload.part_missing', first.detail, { items })
}

/** Whether an upload is whole and checked, and no completion has it. */
export const isChecked = ({ state, etag }: UploadRow): boolean => state === 'assembled' && etag !== null

/** What the store has of each upload that is not checked: a commit names no parts. */
async function namedParts(
  { signal }: AllowedContext,
  objects: ObjectStore,
  uploads: readonly UploadRow[],
): Promise<CompletedUpload[]> {
  if (uploads.every(isChecked)) return []
  const outcomes = await settleBounded(uploads, STORE_CONCURRENCY, async (row) => ({
    path: row.path,
    uploadId: row.id,
    parts: row.etag === null ? [...(await storedParts(objects, row, signal))] : [],
  }))
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
}

/** A blob to link, with the media type that its bytes show. */
export interface SourceBlob {
  readonly blob: NewBlob
  readonly mime: string | null
}

/** The readable bytes as blobs to link, by content. Reads the first bytes of each. */
export async function readableBlobs(
  { signal }: AllowedContext,
  objects: ObjectStore,
  readable: ReadonlyMap<string, ReadableBlob>,
): Promise<Map<string, SourceBlob>> {
  const found = [...readable]
  const outcomes = await settleBounded(found, STORE_CONCURRENCY, async ([key, one]) => {
    const first = one.size === 0 ? new Uint8Array(0) : await readFirstBytes(objects, one.storageKey, signal)
    const { sha256, size, storageKey } = one
    const blob: NewBlob = { storageKey, size, etag: one.etag ?? '', claimed: sha256, sha256, onlyIfStored: true }
    return [key, { blob, mime: await sniffMime(first) }] as const
  })
  return new Map(
    outcomes.map((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason
      return outcome.value
    }),
  )
}
