/** RepoFileEntry (spec, "Files") and the columns that make one. */
import { column, columns, type RowOf } from '../store/columns.ts'

const brief = {
  path: column.text('f.path'),
  /** Bytes. */
  size: column.int8('b.size'),
  /** Computed by the hub; null until it has hashed the bytes. */
  sha256: column.text.orNull('b.sha256'),
}

/** What a list of files usually shows. */
export const briefEntryColumns = columns(brief)

export type BriefFileEntry = RowOf<typeof briefEntryColumns>

/** The fields of the graph that a brief entry has. */
export const briefMembers: ReadonlySet<string> = new Set(Object.keys(brief))

/** Columns of `files f join blobs b on b.id = f.blob_id`, already in the shape of the GraphQL type. */
export const fileEntryColumns = columns({
  ...brief,
  /** The object store's ETag; not a content hash for multipart uploads. */
  etag: column.text.orNull('b.etag'),
  mime: column.text.orNull('f.mime'),
  updatedAt: column.timestamptz('f.updated_at'),
})

export type RepoFileEntry = RowOf<typeof fileEntryColumns>
