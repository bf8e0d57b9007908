/** The live files of a repo for readings: one statement per wave of paths, bytes from the object store. */

import { limits } from '@hub/mjcf/limits'
import { pathFault } from '@hub/text/file-path'
import { asLostFile } from '../../files/lost-file.ts'
import { settleBounded } from '../../files/objects.ts'
import type { Deps } from '../../operation/context.ts'
import { HubError, notFound } from '../../platform/errors.ts'
import { column, columns } from '../../store/columns.ts'
import { type ObjectStore, ObjectStoreError } from '../../store/objects/object-store.ts'
import { paidChunks } from '../../store/objects/paid-calls.ts'
import { releaseChunk } from '../../store/objects/release-chunk.ts'
import { asStoreRefusal, requireObjects } from '../../store/objects/required.ts'
import { param, statement } from '../../store/statement.ts'
import { READING_STORE_CONCURRENCY, WAVE_WALL_MS } from './limits.ts'

export interface RepoFile {
  readonly path: string
  readonly sizeBytes: number
  /** Computed by the hub; else null. */
  readonly sha256: string | null
  readonly storageKey: string
}

/** A snapshot of some files of a repo. */
export interface RepoState {
  readonly seq: number
  /** Every requested path; null if there is no file. */
  readonly files: ReadonlyMap<string, RepoFile | null>
}

/** File columns are all null if the repo has none of the paths. */
const stateColumns = columns({
  seq: column.int4('r.seq'),
  path: column.text.orNull('f.path'),
  sizeBytes: column.int8.orNull('b.size'),
  sha256: column.text.orNull('b.sha256'),
  storageKey: column.text.orNull('b.storage_key'),
})

const stateOfPaths = statement({
  name: 'model-files',
  exact: 'aggregate',
  columns: stateColumns,
  params: { repoId: param.text(), validPaths: param.texts() },
  text: `select ${stateColumns.sql} from repos r
    left join files f on f.repo_id = r.id and f.path = any(:validPaths::text[]) and f.to_seq is null
    left join blobs b on b.id = f.blob_id
    where r.id = :repoId`,
})

/** A repo as it is, or as it will be with files that are not linked yet. */
export interface RepoTree {
  readonly repoId: string
  /** In the place of the repo's own files of these paths; each with its digest. */
  readonly overlay: ReadonlyMap<string, RepoFile>
  /** Whose reading it is: askers take turns. */
  readonly asker: string
}

/** Which of `paths` currently exist. 404 if the repo is gone. One statement. */
export async function repoState(
  db: Deps['db'],
  { repoId, overlay }: Pick<RepoTree, 'repoId' | 'overlay'>,
  paths: readonly string[],
): Promise<RepoState> {
  // Skips invalid paths: a model may contain anything, including NUL, which the database rejects.
  const validPaths = [...new Set(paths)].filter((path) => pathFault(path) === null)
  const rows = await db.query(stateOfPaths, { repoId, validPaths })
  const [first] = rows
  if (!first) throw notFound('The repo')
  const files = new Map<string, RepoFile | null>(paths.map((path) => [path, null]))
  for (const { path, sizeBytes, sha256, storageKey } of rows) {
    if (path !== null && sizeBytes !== null && storageKey !== null)
      files.set(path, { path, sizeBytes, sha256, storageKey })
  }
  for (const path of files.keys()) files.set(path, overlay.get(path) ?? files.get(path) ?? null)
  return { seq: first.seq, files }
}

/** Remaining bytes of a reading; each file counts once, up to just over the reader's file limit. */
export interface ByteBudget {
  allow(file: RepoFile): number
}

/** A budget of the reader's cap of all text, and one byte, by which the reader sees that it is over. */
export function byteBudget(): ByteBudget {
  let leftBytes = limits.textBytes + 1
  const allowed = new Map<string, number>()
  return {
    allow({ path, sizeBytes }) {
      const known = allowed.get(path)
      if (known !== undefined) return known
      const bytes = Math.min(sizeBytes, limits.fileBytes + 1, leftBytes)
      leftBytes -= bytes
      allowed.set(path, bytes)
      return bytes
    },
  }
}

/**
 * The first bytes of each file, as many as `budget` allows, null for null. Rejects with 503 if there is no store, if it
 * does not respond, or if it takes more than 20 s for all of them, and with 502 or 409 for a file that is not in it.
 */
export async function readFiles(
  deps: Pick<Deps, 'db' | 'objects'>,
  files: readonly (RepoFile | null)[],
  budget: ByteBudget,
  signal: AbortSignal,
): Promise<(Uint8Array<ArrayBuffer> | null)[]> {
  const objects = requireObjects(deps)
  const late = AbortSignal.timeout(WAVE_WALL_MS)
  const either = AbortSignal.any([signal, late])
  const results = await settleBounded(files, READING_STORE_CONCURRENCY, async (file) => {
    either.throwIfAborted()
    if (!file) return null
    return readStart(objects, file, budget.allow(file), either).catch(async (error: unknown) => {
      throw await asLostFile(deps.db, file, error)
    })
  })
  return results.map((result) => {
    if (result.status === 'fulfilled') return result.value
    signal.throwIfAborted()
    if (late.aborted) throw new HubError('unavailable', 'The object store is too slow to read the model; try again.')
    throw asStoreRefusal(result.reason)
  })
}

async function readStart(
  objects: ObjectStore,
  file: RepoFile,
  lengthBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(lengthBytes)
  if (lengthBytes === 0) return bytes
  const range = lengthBytes < file.sizeBytes ? { start: 0, end: lengthBytes - 1 } : undefined
  const { body } = await objects.get(file.storageKey, { range, signal })
  let read = 0
  for await (const chunk of paidChunks(body)) {
    signal.throwIfAborted()
    bytes.set(chunk, read)
    read += chunk.length
    releaseChunk(chunk)
  }
  if (read !== lengthBytes)
    throw new ObjectStoreError('no_such_object', `The store gave ${read} bytes of ${lengthBytes}.`)
  return bytes
}
