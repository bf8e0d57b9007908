/** Resumable uploads (contract, "Uploads"): the same file by the same account is the same upload. */
import type { Querier } from '../store/db.ts'
import type { ObjectStore } from '../store/objects/object-store.ts'
import { param, statement } from '../store/statement.ts'
import { PART_SIZE_BYTES, STORE_CONCURRENCY } from './limits.ts'
import { isNoSuchUpload, settleBounded } from './objects.ts'
import type { UploadTicket } from './part-urls.ts'
import { contentOf } from './readable-blobs.ts'
import type { PresignUploadFile } from './schemas.ts'
import { type UploadRow, uploadColumns } from './upload-sql.ts'
import { openStates, sqlStates } from './upload-state.ts'

const openUploads = statement({
  name: 'uploads-resumable',
  exact: 'hot',
  columns: uploadColumns,
  params: { accountId: param.text(), repoId: param.text(), paths: param.texts(), digests: param.texts() },
  text: `select ${uploadColumns.sql} from uploads
    where account_id = :accountId and repo_id = :repoId and path = any(:paths::text[])
      and sha256 = any(:digests::text[]) and state in (${sqlStates(openStates)})`,
})

export interface Resumed {
  /** Resumable uploads by `fileKey`. */
  readonly byKey: ReadonlyMap<string, UploadTicket>
  /**
   * Rows to be aborted: those whose upload no longer exists in the store (an expiry rule of the bucket, a lost disk),
   * and those with a part size that this client has not asked for and may not support.
   */
  readonly endedIds: readonly string[]
}

/** What a file to upload is known by: its path, or its content if it has none. */
export const fileKey = (file: { readonly path: string; readonly sha256: string; readonly size: number }): string =>
  file.path === '' ? contentOf(file) : file.path

/** The pending uploads among `files`, each with its stored parts. One statement, one store call per upload. */
export async function findResumable(
  querier: Querier,
  objects: ObjectStore,
  who: { accountId: string; repoId: string; signal: AbortSignal },
  files: readonly PresignUploadFile[],
): Promise<Resumed> {
  const rows = await querier.query(openUploads, {
    ...who,
    paths: [...new Set(files.map(({ path }) => path))],
    digests: files.map(({ sha256 }) => sha256),
  })
  const wanted = new Map(files.map((file) => [fileKey(file), file]))
  const matches = rows.filter((row) => {
    const file = wanted.get(fileKey(row))
    return file?.size === row.size && file.sha256 === row.sha256
  })
  const resumable = (row: UploadRow) => row.partSize === PART_SIZE_BYTES || Boolean(wanted.get(fileKey(row))?.partSize)
  const endedIds = matches.filter((row) => !resumable(row)).map((row) => row.id)
  const kept = matches.filter(resumable)
  const outcomes = await settleBounded(kept, STORE_CONCURRENCY, (row) => storedParts(objects, row, who.signal))
  const byKey = new Map<string, UploadTicket>()
  for (const [index, row] of kept.entries()) {
    const outcome = outcomes[index]
    if (outcome?.status === 'fulfilled') byKey.set(fileKey(row), toTicket(row, outcome.value))
    else if (isNoSuchUpload(outcome?.reason)) endedIds.push(row.id)
    else throw outcome?.reason
  }
  return { byKey, endedIds }
}

/** Once a completion has begun, the recorded parts are authoritative: the store may have assembled them already. */
export async function storedParts(
  objects: ObjectStore,
  row: UploadRow,
  signal: AbortSignal,
): Promise<UploadRow['parts']> {
  if (row.parts.length > 0) return row.parts
  return objects.listParts(row.storageKey, row.storeUploadId, signal)
}

function toTicket(row: UploadRow, parts: UploadRow['parts']): UploadTicket {
  return {
    path: row.path,
    uploadId: row.id,
    partSize: row.partSize,
    size: row.size,
    uploaded: parts.map((part) => part.partNumber),
    uploadedEtags: parts.map((part) => part.etag),
    storageKey: row.storageKey,
    storeUploadId: row.storeUploadId,
  }
}
