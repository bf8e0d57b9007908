/** RepoFileEntry (spec, "Files") and the columns that make one. */

export interface RepoFileEntry {
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** The object store's; a multipart one is no content hash. */
  readonly etag: string | null
  /** Only what the hub hashed itself; null while that is still to come. */
  readonly sha256: string | null
  readonly mime: string | null
  readonly updatedAt: string
}

/** Of `files f join blobs b on b.id = f.blob_id`, already in the graph's shape. */
export const fileEntryColumns = `f.path, b.size, b.etag, b.sha256, f.mime, f.updated_at as "updatedAt"`
