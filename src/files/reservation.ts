/**
 * Storage quota: bytes are reserved when an upload is presigned, and counted as stored when its file is linked. The
 * number of pending uploads is limited too.
 */
import type { Config } from '../platform/config.ts'
import { HubError } from '../platform/errors.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import type { Querier, Tx } from '../store/db.ts'
import { hasDivided } from '../store/db-errors.ts'
import { param, statement } from '../store/statement.ts'
import { MAX_PENDING_CONTENTS, MAX_PENDING_UPLOADS } from './limits.ts'
import { openStates, sqlStates } from './upload-state.ts'

const useColumns = columns({
  used: column.int8('storage_bytes'),
  reserved: column.int8('reserved_bytes'),
  pending: column.int4('pending_uploads'),
})
type StorageUse = RowOf<typeof useColumns>

/** The bytes and uploads to reserve. */
export interface Room {
  readonly bytes: number
  readonly uploads: number
  /** The uploads are contents that the hub itself stores. */
  readonly areContents?: boolean
}

/** What the hub calls the upload of a content in the store; no store has a multipart upload with this id. */
export const CONTENT_UPLOAD = 'inline'

/** Check and reservation are one statement: of two concurrent presigns for the last free bytes, only one succeeds. */
const reserve = statement({
  name: 'accounts-reserve',
  columns: useColumns,
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
    returning ${useColumns.sql}`,
})

const storageUse = statement({
  name: 'accounts-storage-use',
  exact: 'in-transaction',
  columns: useColumns,
  params: { ownerId: param.text() },
  text: `select ${useColumns.sql} from accounts where id = :ownerId`,
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
  const most = mostPending(room)
  const [granted] = await tx.query(reserve, { ownerId, bytes, uploads, quotaBytes, mostPending: most })
  if (granted) return
  const [use = { used: 0, reserved: 0, pending: 0 }] = await tx.query(storageUse, { ownerId })
  const contents = await contentsAmong(tx, ownerId, use, room)
  if (contents > 0) {
    const [beside] = await tx.query(reserve, { ownerId, bytes, uploads, quotaBytes, mostPending: most + contents })
    if (beside) return
  }
  // If space was freed between the two statements, the request is still rejected.
  throw refusalOf(config, use, room, contents) ?? overQuota(config, use, bytes)
}

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
  columns: useColumns,
  params: { ownerId: param.text(), bytes: param.int8(), quotaBytes: param.int8() },
  text: `update accounts set storage_bytes = storage_bytes + :bytes::bigint
    where id = :ownerId and (:bytes::bigint <= 0
      or storage_bytes + reserved_bytes + :bytes::bigint <= :quotaBytes::bigint)
    returning ${useColumns.sql}`,
})

/**
 * Counts bytes that are stored without a reservation; a negative number releases bytes. 413 `quota.storage` with the
 * use and the limit.
 */
export async function countBytes(tx: Querier, config: Config, ownerId: string, bytes: number): Promise<void> {
  const [counted] = await tx.query(count, { ownerId, bytes, quotaBytes: config.storageQuotaBytes })
  if (counted) return
  const [use = { used: 0, reserved: 0, pending: 0 }] = await tx.query(storageUse, { ownerId })
  throw overQuota(config, use, bytes)
}

/**
 * The same where nobody waits for its answer: a commit may follow in the same round trip, so the quota is an error of
 * the statement, a division by zero.
 */
const countOrFail = statement({
  name: 'accounts-count-or-fail',
  params: { ownerId: param.text(), bytes: param.int8(), quotaBytes: param.int8() },
  text: `update accounts set storage_bytes = storage_bytes + :bytes::bigint / case when :bytes::bigint <= 0
      or storage_bytes + reserved_bytes + :bytes::bigint <= :quotaBytes::bigint then 1 else 0 end
    where id = :ownerId`,
})

/** `countBytes`, sent with a later statement or the commit. Its refusal is `asQuotaRefusal` of what rejects then. */
export function countBytesLater(tx: Tx, config: Config, ownerId: string, bytes: number): void {
  if (bytes !== 0) tx.later(countOrFail, { ownerId, bytes, quotaBytes: config.storageQuotaBytes })
}

/** 413 `quota.storage` for the failure of `countBytesLater`, whose transaction has ended; any other error as it is. */
export async function asQuotaRefusal(
  querier: Querier,
  config: Config,
  { ownerId, bytes }: { readonly ownerId: string; readonly bytes: number },
  error: unknown,
): Promise<unknown> {
  if (!hasDivided(error, countOrFail.name)) return error
  const [use = { used: 0, reserved: 0, pending: 0 }] = await querier.query(storageUse, { ownerId })
  return overQuota(config, use, bytes)
}

/** What an account's storage holds, read with something else: columns on the row `a` of `accounts`. */
export const heldBytesColumns = {
  usedBytes: column.int8('a.storage_bytes'),
  reservedBytes: column.int8('a.reserved_bytes'),
}

export interface HeldBytes {
  readonly usedBytes: number
  readonly reservedBytes: number
}

/** 413 `quota.storage` where the bytes do not fit, by `heldBytesColumns`; reserves nothing. */
export function assertFits(
  config: Config,
  { usedBytes: used, reservedBytes: reserved }: HeldBytes,
  bytes: number,
): void {
  if (used + reserved + bytes > config.storageQuotaBytes) throw overQuota(config, { used, reserved }, bytes)
}

/**
 * The check of `reserveStorage` without a reservation, so that a request that must fail creates nothing in the store.
 */
export async function assertRoom(querier: Querier, config: Config, ownerId: string, room: Room): Promise<void> {
  const [use] = await querier.query(storageUse, { ownerId })
  const refusal = use && refusalOf(config, use, room, await contentsAmong(querier, ownerId, use, room))
  if (refusal) throw refusal
}

function refusalOf(config: Config, use: StorageUse, room: Room, contents: number): HubError | null {
  const { bytes, uploads } = room
  const pending = use.pending - contents
  const most = mostPending(room)
  if (pending + uploads > most) return overUploads(pending, uploads, most)
  return bytes > 0 && use.used + use.reserved + bytes > config.storageQuotaBytes ? overQuota(config, use, bytes) : null
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
