/**
 * Storage quota: bytes are reserved when an upload is presigned, and counted as stored when its file is linked. The
 * number of pending uploads is limited too. The account's sum has spares of its runs in it: what seems not to fit is
 * tried again once they are given back.
 */
import { sparesSql } from '../accounts/spares-sql.ts'
import type { Config } from '../platform/config.ts'
import { HubError } from '../platform/errors.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import type { Db, Querier } from '../store/db.ts'
import { hasDivided } from '../store/db-errors.ts'
import { param, statement } from '../store/statement.ts'
import { MAX_PENDING_CONTENTS, MAX_PENDING_UPLOADS } from './limits.ts'
import { giveSparesBack, TAKING } from './storage-spares.ts'
import { openStates, sqlStates } from './upload-state.ts'

const useColumns = columns({
  used: column.int8('a.storage_bytes - s.bytes'),
  spares: column.int8('s.bytes'),
  reserved: column.int8('a.reserved_bytes'),
  pending: column.int4('a.pending_uploads'),
})
type StorageUse = RowOf<typeof useColumns>

/** The bytes and uploads to reserve. */
export interface Room {
  readonly bytes: number
  readonly uploads: number
  /** The uploads are contents that the hub itself stores. */
  readonly areContents?: boolean
  /** Of the account too: announced by work in progress, and counted when that ends. */
  readonly announced?: number
}

/** What the hub calls the upload of a content in the store; no store has a multipart upload with this id. */
export const CONTENT_UPLOAD = 'inline'

const idColumn = columns({ id: column.text('id') })

/** Check and reservation are one statement: of two concurrent presigns for the last free bytes, only one succeeds. */
const reserve = statement({
  name: 'accounts-reserve',
  columns: idColumn,
  params: {
    ownerId: param.text(),
    bytes: param.int8(),
    uploads: param.int4(),
    quotaBytes: param.int8(),
    mostPending: param.int4(),
  },
  text: `update accounts set reserved_bytes = reserved_bytes + :bytes::bigint,
    pending_uploads = pending_uploads + :uploads::int
    where id = :ownerId and (:bytes::bigint = 0
      or storage_bytes + reserved_bytes + :bytes::bigint <= :quotaBytes::bigint)
      and pending_uploads + :uploads::int <= :mostPending::int
    returning ${idColumn.sql}`,
})

const storageUse = statement({
  name: 'accounts-storage-use',
  exact: 'in-transaction',
  columns: useColumns,
  params: { ownerId: param.text() },
  text: `select ${useColumns.sql} from accounts a
    cross join lateral (select ${sparesSql('a.id')} as bytes) s where a.id = :ownerId`,
})

const contentsColumn = columns({ contents: column.int4('count(*)::int') })

/** All open uploads are in one partial index, whatever their owner; this is asked only past the limit. */
const pendingContents = statement({
  name: 'uploads-pending-contents',
  exact: 'in-transaction',
  columns: contentsColumn,
  params: { ownerId: param.text() },
  text: `select ${contentsColumn.sql} from uploads where state in (${sqlStates(openStates)})
    and owner_id = :ownerId and store_upload_id = '${CONTENT_UPLOAD}'`,
})

/**
 * Reserves storage of the owner's quota; 413 `quota.storage` with the use and the limit, 429 `quota.uploads` with the
 * number of pending uploads.
 */
export async function reserveStorage(tx: Querier, config: Config, ownerId: string, room: Room): Promise<void> {
  const { bytes, uploads } = room
  const { storageQuotaBytes: quotaBytes } = config
  const attempt = (most: number) => tx.query(reserve, { ownerId, bytes, uploads, quotaBytes, mostPending: most })
  const most = mostPending(room)
  const [granted] = await attempt(most)
  if (granted) return
  const { use, isFreed } = await freedUse(tx, config, ownerId, bytes)
  const contents = await contentsAmong(tx, ownerId, use, room)
  if (contents > 0 || isFreed) {
    const [beside] = await attempt(most + contents)
    if (beside) return
  }
  throw refusalOf(config, use, room, contents) ?? overQuota(config, use, bytes)
}

const nothingUsed: StorageUse = { used: 0, spares: 0, reserved: 0, pending: 0 }

async function useOf(querier: Querier, ownerId: string): Promise<StorageUse> {
  const [use = nothingUsed] = await querier.query(storageUse, { ownerId })
  return use
}

/** What the account stores, and whether the bytes fit into its quota now, its spares given back if need be. */
async function freedUse(
  tx: Querier,
  config: Config,
  ownerId: string,
  bytes: number,
): Promise<{ readonly use: StorageUse; readonly isFreed: boolean }> {
  const use = await useOf(tx, ownerId)
  if (bytes <= 0 || !hasRoom(config, use, bytes)) return { use, isFreed: false }
  if (!hasRoom(config, { ...use, used: use.used + use.spares }, bytes)) await giveSparesBack(tx, ownerId)
  return { use, isFreed: true }
}

const hasRoom = (config: Config, { used, reserved }: Pick<StorageUse, 'used' | 'reserved'>, bytes: number): boolean =>
  bytes <= 0 || used + reserved + bytes <= config.storageQuotaBytes

const mostPending = ({ areContents = false }: Room) => MAX_PENDING_UPLOADS + (areContents ? MAX_PENDING_CONTENTS : 0)

/** How many of the pending uploads are contents, which take no place of an upload; asked only if places are short. */
async function contentsAmong(querier: Querier, ownerId: string, use: StorageUse, room: Room): Promise<number> {
  if (room.areContents || use.pending + room.uploads <= MAX_PENDING_UPLOADS) return 0
  const [row] = await querier.query(pendingContents, { ownerId })
  return row?.contents ?? 0
}

/** Check and count are one statement: of two concurrent requests for the last free bytes, only one succeeds. */
const count = statement({
  name: 'accounts-count-bytes',
  columns: idColumn,
  params: { ownerId: param.text(), bytes: param.int8(), quotaBytes: param.int8() },
  text: `update accounts set storage_bytes = storage_bytes + :bytes::bigint
    where id = :ownerId and (:bytes::bigint <= 0
      or storage_bytes + reserved_bytes + :bytes::bigint <= :quotaBytes::bigint)
    returning ${idColumn.sql}`,
})

/**
 * Counts bytes that are stored without a reservation; a negative number releases bytes. 413 `quota.storage` with the
 * use and the limit.
 */
export async function countBytes(tx: Querier, config: Config, ownerId: string, bytes: number): Promise<void> {
  const attempt = () => tx.query(count, { ownerId, bytes, quotaBytes: config.storageQuotaBytes })
  const [counted] = await attempt()
  if (counted) return
  const { use, isFreed } = await freedUse(tx, config, ownerId, bytes)
  const [second] = isFreed ? await attempt() : []
  if (!second) throw overQuota(config, use, bytes)
}

/**
 * What a report does that `takeBytes` refused, and whose transaction has ended: true where the bytes fit after all,
 * since the account's spares are given back now, or something was deleted meanwhile. Any other error: false.
 */
export function madeRoom(
  db: Db,
  config: Config,
  { ownerId, bytes }: { readonly ownerId: string; readonly bytes: number },
  error: unknown,
): Promise<boolean> {
  if (!hasDivided(error, TAKING)) return Promise.resolve(false)
  return db.withTx(async (tx) => {
    const use = await useOf(tx, ownerId)
    if (!hasRoom(config, use, bytes)) return false
    if (use.spares > 0) await giveSparesBack(tx, ownerId)
    return true
  })
}

/** 413 `quota.storage` for the failure of `takeBytes`, whose transaction has ended; any other error as it is. */
export async function asQuotaRefusal(
  querier: Querier,
  config: Config,
  { ownerId, bytes }: { readonly ownerId: string; readonly bytes: number },
  error: unknown,
): Promise<unknown> {
  return hasDivided(error, TAKING) ? overQuota(config, await useOf(querier, ownerId), bytes) : error
}

/** What an account stores at most, read with something else: columns on the row `a` of `accounts`. */
export const heldBytesColumns = {
  mostBytes: column.int8('a.storage_bytes + a.reserved_bytes'),
}

export interface HeldBytes {
  /** With the spares of its runs. */
  readonly mostBytes: number
}

/** Whether the bytes fit for sure, by `heldBytesColumns`. */
export const fitSurely = (config: Config, { mostBytes }: HeldBytes, bytes: number): boolean =>
  mostBytes + bytes <= config.storageQuotaBytes

/**
 * The check of `reserveStorage` without a reservation, so that a request that must fail creates nothing in the store.
 */
export async function assertRoom(querier: Querier, config: Config, ownerId: string, room: Room): Promise<void> {
  const [found] = await querier.query(storageUse, { ownerId })
  const use = found && { ...found, reserved: found.reserved + (room.announced ?? 0) }
  const refusal = use && refusalOf(config, use, room, await contentsAmong(querier, ownerId, use, room))
  if (refusal) throw refusal
}

function refusalOf(config: Config, use: StorageUse, room: Room, contents: number): HubError | null {
  const { bytes, uploads } = room
  const pending = use.pending - contents
  const most = mostPending(room)
  if (pending + uploads > most) return overUploads(pending, uploads, most)
  return hasRoom(config, use, bytes) ? null : overQuota(config, use, bytes)
}

function overUploads(pending: number, uploads: number, most: number): HubError {
  const detail =
    `The owner has ${pending} uploads pending, and ${uploads} more would pass the limit of ${most}. ` +
    'Complete or abort uploads first.'
  const item = { pending_uploads: pending, limit_uploads: most, requested_uploads: uploads }
  return new HubError('quota.uploads', detail, {
    items: [{ type: 'quota.uploads', detail, ...item }],
    facts: { limit: most, used: pending },
  })
}

function overQuota(config: Config, use: Pick<StorageUse, 'used' | 'reserved'>, bytes: number): HubError {
  const limit = config.storageQuotaBytes
  const left = Math.max(0, limit - use.used - use.reserved)
  const detail =
    `The owner has ${use.used} bytes stored and ${use.reserved} reserved by pending uploads; ` +
    `${bytes} more would pass the limit of ${limit} bytes, of which ${left} are left. Delete files or runs, or abort uploads, to make room.`
  const item = {
    used_bytes: use.used,
    reserved_bytes: use.reserved,
    limit_bytes: limit,
    left_bytes: left,
    requested_bytes: bytes,
  }
  return new HubError('quota.storage', detail, {
    items: [{ type: 'quota.storage', detail, ...item }],
    facts: { limit, used: use.used + use.reserved },
  })
}
