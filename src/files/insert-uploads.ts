/** Inserts rows into `uploads`: pending ones whose bytes a client sends, or ones that the hub itself completes. */
import { column, columns } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { each, insertEach, sql } from '../store/insert.ts'
import { param, statement } from '../store/statement.ts'

const insertedColumn = columns({ id: column.text('id') })

/**
 * The parts of a row that the hub completes: one part, so that discarding the row also dooms the object, which the
 * store may already have.
 */
const wholePart = `jsonb_build_array(jsonb_build_object('partNumber', 1, 'etag', '', 'sizeBytes', given.size))`
const isPending = ':attempt::text is null'

const uploadRows = insertEach('uploads', {
  id: each('ids', param.texts()),
  repoId: param.text(),
  accountId: param.text(),
  ownerId: param.text(),
  partSize: each('partSizes', param.int4s()),
  path: each('paths', param.texts()),
  size: each('sizes', param.int8s()),
  sha256: each('sha256s', param.texts()),
  contentType: each('contentTypes', param.texts<readonly (string | null)[]>()),
  storageKey: each('storageKeys', param.texts()),
  storeUploadId: each('storeUploadIds', param.texts()),
  state: sql(`case when ${isPending} then 'pending' else 'completing' end::"UploadState"`),
  /** The fencing token of a completion; null for pending uploads. */
  attempt: param.text.orNull(),
  instance: param.int4.orNull(),
  attemptAt: sql(`case when ${isPending} then null else now() end`),
  parts: sql(`case when ${isPending} then '[]' else ${wholePart} end`),
})

const insert = statement({
  name: 'uploads-insert',
  columns: insertedColumn,
  params: uploadRows.params,
  text: `${uploadRows.sql} order by given.path on conflict do nothing returning ${insertedColumn.sql}`,
})

/** The account that presigned the uploads, and the owner whose quota their bytes count against. */
export interface UploadsOf {
  readonly repoId: string
  readonly accountId: string
  readonly ownerId: string
  /** Null for pending uploads. */
  readonly attempt: string | null
  /** The hub that completes them (`presence.ts`); null for pending uploads, or if it is not known. */
  readonly instance: number | null
}

export interface UploadToInsert {
  readonly id: string
  readonly partSize: number
  readonly path: string
  readonly size: number
  readonly sha256: string
  readonly contentType: string | null
  readonly storageKey: string
  readonly storeUploadId: string
}

/**
 * Inserts the rows. Returns false if a concurrent request already created one of the uploads; the caller then rolls
 * back.
 */
export async function insertUploads(tx: Querier, of: UploadsOf, uploads: readonly UploadToInsert[]): Promise<boolean> {
  const inserted = await tx.query(insert, {
    ...of,
    ids: uploads.map(({ id }) => id),
    partSizes: uploads.map(({ partSize }) => partSize),
    paths: uploads.map(({ path }) => path),
    sizes: uploads.map(({ size }) => size),
    sha256s: uploads.map(({ sha256 }) => sha256),
    contentTypes: uploads.map(({ contentType }) => contentType),
    storageKeys: uploads.map(({ storageKey }) => storageKey),
    storeUploadIds: uploads.map(({ storeUploadId }) => storeUploadId),
  })
  return inserted.length === uploads.length
}
