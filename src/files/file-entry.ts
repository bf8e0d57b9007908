/** RepoFileEntry (spec, "Files") and the columns that make one. */
import { column, columns, type RowOf } from '../store/columns.ts'

/** Columns of `files f join blobs b on b.id = f.blob_id`, already in the shape of the GraphQL type. */
export const fileEntryColumns = columns({
  path: column.text('f.path'),
  /** Bytes. */
  size: column.int8('b.size'),
  /** The object store's ETag; not a content hash for multipart uploads. */
  etag: column.text.orNull('b.etag'),
  /** Computed by the hub; null until it has hashed the bytes. */
  sha256: column.text.orNull('b.sha256'),
  mime: column.text.orNull('f.mime'),
  updatedAt: column.timestamptz('f.updated_at'),
})

export type RepoFileEntry = RowOf<typeof fileEntryColumns>
