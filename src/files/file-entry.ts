/** RepoFileEntry (spec, "Files") and the columns that make one. */
import { column, columns, type RowOf } from '../store/columns.ts'

/** Of `files f join blobs b on b.id = f.blob_id`, already in the graph's shape. */
export const fileEntryColumns = columns({
  path: column<string>('f.path'),
  /** Bytes. */
  size: column<number>('b.size'),
  /** The object store's; a multipart one is no content hash. */
  etag: column<string | null>('b.etag'),
  /** Only what the hub hashed itself; null while that is still to come. */
  sha256: column<string | null>('b.sha256'),
  mime: column<string | null>('f.mime'),
  updatedAt: column<string>('f.updated_at'),
})

export type RepoFileEntry = RowOf<typeof fileEntryColumns>
