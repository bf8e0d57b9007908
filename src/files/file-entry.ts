/** RepoFileEntry (spec, "Files") and the columns that make one. */
import { column, columns, type RowOf } from '../store/columns.ts'

/** Columns of `files f join blobs b on b.id = f.blob_id`, already in the shape of the GraphQL type. */
export const fileEntryColumns = columns({
  path: column<string>('f.path'),
  /** Bytes. */
  size: column<number>('b.size'),
  /** The object store's ETag; not a content hash for multipart uploads. */
  etag: column<string | null>('b.etag'),
  /** Computed by the hub; null until it has hashed the bytes. */
  sha256: column<string | null>('b.sha256'),
  mime: column<string | null>('f.mime'),
  updatedAt: column<string>('f.updated_at'),
})

export type RepoFileEntry = RowOf<typeof fileEntryColumns>
