/** Room: of accounts, disk and database, and what waits for deletion. Contract, "The operator". */

import { statfs } from 'node:fs/promises'
import { isId } from '@hub/formats/ids'
import { DEFAULT_PAGE_SIZE } from '@hub/formats/text-rules'
import { assertOperator } from '../accounts/operator-only.ts'
import { sparesSql } from '../accounts/spares-sql.ts'
import type { RequestContext } from '../operation/context.ts'
import { decodeCursor, encodeCursor, type KeyPart, type Page } from '../platform/page.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'

/** Objects that wait for deletion are counted up to this. */
const MOST_COUNTED = 10_000

const roomColumns = columns({
  databaseBytes: column.int8('pg_database_size(current_database())'),
  doomedObjects: column.int4('doomed.objects'),
  doomedBytes: column.int8('doomed.bytes'),
})

/** Along the partial index of what is doomed; it holds nothing else. */
const room = statement({
  name: 'hub-room',
  exact: 'aggregate',
  columns: roomColumns,
  text: `select ${roomColumns.sql} from (
      select count(*)::int as objects, coalesce(sum(b.size), 0)::int8 as bytes from (
        select size from blobs where state = 'doomed' order by doomed_at limit ${MOST_COUNTED}) b) doomed`,
})

export interface HubStorage extends RowOf<typeof roomColumns> {
  readonly store: 'none' | 'disk' | 's3'
  /** Of the disk of the disk store; null with another store, or if the disk does not say it. */
  readonly freeBytes: number | null
  readonly diskBytes: number | null
  /** Of each account. */
  readonly quotaBytes: number
}

/** hubStorage: one statement, and the size of a disk. Errors: 401, 403 for all but the operator. */
export async function readHubStorage({ viewer, deps }: RequestContext): Promise<HubStorage> {
  const { config, db } = deps
  assertOperator(viewer, config)
  const { objectStore: store } = config
  const [[row], disk] = await Promise.all([
    db.query(room),
    store.kind === 'disk' ? statfs(store.dir).catch(() => null) : null,
  ])
  return {
    databaseBytes: row?.databaseBytes ?? 0,
    doomedObjects: row?.doomedObjects ?? 0,
    doomedBytes: row?.doomedBytes ?? 0,
    store: store.kind,
    freeBytes: disk && disk.bavail * disk.bsize,
    diskBytes: disk && disk.blocks * disk.bsize,
    quotaBytes: config.storageQuotaBytes,
  }
}

const useColumns = columns({
  id: column.text('a.id'),
  kind: column.enum('AccountKind', 'a.kind'),
  handle: column.text('a.handle'),
  name: column.text.orNull('a.name'),
  usedBytes: column.int8('u.bytes'),
  reservedBytes: column.int8('a.reserved_bytes'),
})

/** What an account stores. */
export type AccountStorage = RowOf<typeof useColumns>

/**
 * One row an account is read, and the spares of its runs, as for the sums of `/metrics`. With the bytes in an index, each commit would have to
 * write to every index of accounts (no HOT update).
 */
const byStorage = statement({
  name: 'accounts-by-storage',
  exact: 'per-parent',
  columns: useColumns,
  params: { bytes: param.int8.orNull(), id: param.text.orNull(), limit: param.int8() },
  text: `select ${useColumns.sql} from accounts a
      cross join lateral (select a.storage_bytes - ${sparesSql('a.id')} as bytes offset 0) u
    where u.bytes > 0 and (:bytes::int8 is null or (u.bytes, a.id) < (:bytes, :id))
    order by u.bytes desc, a.id desc limit :limit`,
})

const LISTING = 'accounts-by-storage'
const isBytes = (part: KeyPart): part is number => Number.isSafeInteger(part)
const isAccountId = (part: KeyPart): part is string =>
  typeof part === 'string' && (isId('user', part) || isId('org', part))

/** accountStorage: accounts that store something, largest first; one statement. Errors: 401, 403, 422. */
export async function listAccountStorage(
  { viewer, deps }: RequestContext,
  { limit, after }: { readonly limit: number | null; readonly after: string | null },
): Promise<Page<AccountStorage>> {
  assertOperator(viewer, deps.config)
  const [bytes, id] =
    after === null ? [null, null] : decodeCursor<[number, string]>(LISTING, after, [isBytes, isAccountId])
  const size = limit ?? DEFAULT_PAGE_SIZE
  const rows = await deps.db.query(byStorage, { bytes, id, limit: size + 1 })
  const cursorOf = (row: AccountStorage) => encodeCursor(LISTING, [row.usedBytes, row.id])
  return { nodes: rows.slice(0, size), hasNextPage: rows.length > size, cursorOf }
}
