/** Finds bytes that the hub already has in a file that the caller can read. */
import { setTimeout as delay } from 'node:timers/promises'
import { repoViewer, repoVisibleSql, visibleRepos } from '../auth/policy.ts'
import type { RequestContext } from '../operation/context.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'

/**
 * The most live files of one blob that a search examines, besides those of the target repo. Without a readable one
 * among them, the client sends the bytes.
 */
const MAX_FILES_OF_BLOB = 256

/**
 * The minimum time of a search. It is longer than any search takes, so that the time does not reveal whether the hub
 * has the bytes in a file that the caller cannot read.
 */
const SEARCH_MS = 30

const readableColumns = columns({
  id: column.text('b.id'),
  sha256: column.text('b.sha256'),
  size: column.int8('b.size'),
  storageKey: column.text('b.storage_key'),
  etag: column.text.orNull('b.etag'),
})

export type ReadableBlob = RowOf<typeof readableColumns>

/** Without an order, so that the limit also bounds the rows that are read. */
const filesOf = (condition: string, limit: number) =>
  `(select f.repo_id from files f where f.blob_id = b.id and f.to_seq is null ${condition} limit ${limit})`

export const readableBlobs = statement({
  name: 'blobs-readable',
  exact: 'hot',
  columns: readableColumns,
  params: {
    ...repoViewer,
    repoId: param.text(),
    digests: param.texts(),
    sizes: param.int8s(),
  },
  text: `with b as materialized (select b.id, b.sha256, b.size, b.storage_key, b.etag
      from (select distinct * from unnest(:digests::text[], :sizes::bigint[]) as t(sha256, size)) w
      join blobs b on b.sha256 = w.sha256 and b.size = w.size and b.sha256 is not null and b.state = 'live')
    select ${readableColumns.sql} from b
    where exists (select 1 from (${filesOf('and f.repo_id = :repoId', 1)} union all ${filesOf('', MAX_FILES_OF_BLOB)}) f
      join repos r on r.id = f.repo_id where ${repoVisibleSql('r')})`,
})

/**
 * The blobs with these verified digests and sizes that the caller can read, by `contentOf`. Bytes that the hub does not
 * have and bytes that the caller cannot read are both absent.
 */
export async function findReadable(
  ctx: RequestContext,
  repoId: string,
  files: readonly { readonly sha256: string; readonly size: number }[],
): Promise<ReadonlyMap<string, ReadableBlob>> {
  const [rows] = await Promise.all([
    ctx.deps.db.query(readableBlobs, {
      ...visibleRepos(ctx.viewer),
      repoId,
      digests: files.map(({ sha256 }) => sha256),
      sizes: files.map(({ size }) => size),
    }),
    delay(SEARCH_MS),
  ])
  return new Map(rows.map((row) => [contentOf(row), row]))
}

/** The key of a file in the result of `findReadable`. */
export const contentOf = ({ sha256, size }: { readonly sha256: string; readonly size: number }) => `${sha256}:${size}`
