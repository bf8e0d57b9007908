/** Inserts rows into `uploads`: pending ones whose bytes a client sends, or ones that the hub itself completes. */
import { column, columns } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'

const insertedColumn = columns({ id: column.text('id') })

/**
 * The parts of a row that the hub completes: one part, so that discarding the row also dooms the object, which the
 * store may already have.
 */
const wholePart = `jsonb_build_array(jsonb_build_object('partNumber', 1, 'etag', '', 'sizeBytes', t.size))`

const insert = statement({
  name: 'uploads-insert',
  columns: insertedColumn,
  params: {
    repoId: param.text(),
    accountId: param.text(),
    ownerId: param.text(),
    /** The fencing token of a completion; null for pending uploads. */
    attempt: param.text.orNull(),
    instance: param.int4.orNull(),
    partSizes: param.int4s(),
    ids: param.texts(),
    paths: param.texts(),
    sizes: param.int8s(),
    sha256s: param.texts(),
    contentTypes: param.texts<readonly (string | null)[]>(),
    storageKeys: param.texts(),
    storeUploadIds: param.texts(),
  },
  text: `insert into uploads (id, repo_id, account_id, owner_id, part_size, path, size, sha256, content_type,
    storage_key, store_upload_id, state,
      attempt, instance, attempt_at, parts)
    select t.id, :repoId, :accountId, :ownerId, t.part_size, t.path, t.size, t.sha256, t.content_type, t.storage_key,
      t.store_upload_id,
      case when :attempt::text is null then 'pending' else 'completing' end::"UploadState", :attempt::text,
        :instance::int,
      case when :attempt::text is not null then now() end, case when :attempt::text is null then '[]' else ${wholePart}
        end
    from unnest(:ids::text[], :partSizes::int[], :paths::text[], :sizes::bigint[], :sha256s::text[],
      :contentTypes::text[], :storageKeys::text[],
        :storeUploadIds::text[])
      as t(id, part_size, path, size, sha256, content_type, storage_key, store_upload_id)
    order by t.path on conflict do nothing returning ${insertedColumn.sql}`,
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
