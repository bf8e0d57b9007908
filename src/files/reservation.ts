/** Storage quota: bytes are promised to an upload when it is presigned, and counted as stored when its file is linked. Pending uploads are counted as well as their bytes. */
import type { Config } from '../platform/config.ts'
import { HubError } from '../platform/errors.ts'
import type { Querier, Statement } from '../store/db.ts'
import { MAX_PENDING_UPLOADS } from './limits.ts'

interface StorageUse {
  readonly used: number
  readonly reserved: number
  readonly pending: number
}

/** What an owner is asked to have room for. */
export interface Room {
  readonly bytes: number
  readonly uploads: number
}

const useColumns = 'storage_bytes as used, reserved_bytes as reserved, pending_uploads as pending'

/** Check and promise in one statement: of two presigns that race for the last room, one gets it. */
const reserve: Statement<StorageUse> = {
  name: 'accounts-reserve',
  text: `update accounts set reserved_bytes = reserved_bytes + $2::bigint, pending_uploads = pending_uploads + $4::int
    where id = $1 and ($2::bigint = 0 or storage_bytes + reserved_bytes + $2::bigint <= $3::bigint)
      and pending_uploads + $4::int <= ${MAX_PENDING_UPLOADS}
    returning ${useColumns}`,
}

const storageUse: Statement<StorageUse> = {
  name: 'accounts-storage-use',
  text: `select ${useColumns} from accounts where id = $1`,
}

/** Promises room of the owner's quota; 413 `quota.storage` names what is used and what the limit is, 429 `quota.uploads` how many are pending. */
export async function reserveStorage(tx: Querier, config: Config, ownerId: string, room: Room): Promise<void> {
  const [granted] = await tx.query(reserve, [ownerId, room.bytes, config.storageQuotaBytes, room.uploads])
  if (granted) return
  const [use = { used: 0, reserved: 0, pending: 0 }] = await tx.query(storageUse, [ownerId])
  // Where room came free between the two statements, the answer is still that there was none.
  throw refusalOf(config, use, room) ?? overQuota(config, use, room.bytes)
}

/** 413 for bytes that a statement of another kind found no room for. */
export async function refuseRoom(tx: Querier, config: Config, ownerId: string, bytes: number): Promise<never> {
  const [use = { used: 0, reserved: 0, pending: 0 }] = await tx.query(storageUse, [ownerId])
  throw overQuota(config, use, bytes)
}

/** The same question without the promise, before anything is made in the store for an answer that is known already. */
export async function assertRoom(querier: Querier, config: Config, ownerId: string, room: Room): Promise<void> {
  const [use] = await querier.query(storageUse, [ownerId])
  const refusal = use && refusalOf(config, use, room)
  if (refusal) throw refusal
}

function refusalOf(config: Config, use: StorageUse, { bytes, uploads }: Room): HubError | null {
  if (use.pending + uploads > MAX_PENDING_UPLOADS) return overUploads(use.pending, uploads)
  return bytes > 0 && use.used + use.reserved + bytes > config.storageQuotaBytes ? overQuota(config, use, bytes) : null
}

function overUploads(pending: number, uploads: number): HubError {
  const detail =
    `The owner has ${pending} uploads pending, and ${uploads} more would pass the limit of ${MAX_PENDING_UPLOADS}. ` +
    'Complete or abort uploads first.'
  const facts = { pending_uploads: pending, limit_uploads: MAX_PENDING_UPLOADS, requested_uploads: uploads }
  return new HubError('quota.uploads', detail, { items: [{ type: 'quota.uploads', detail, ...facts }] })
}

function overQuota(config: Config, use: StorageUse, bytes: number): HubError {
  const limit = config.storageQuotaBytes
  const left = Math.max(0, limit - use.used - use.reserved)
  const detail =
    `The owner has ${use.used} bytes stored and ${use.reserved} promised to pending uploads; ` +
    `${bytes} more would pass the limit of ${limit} bytes, of which ${left} are left. Delete files or runs, or abort uploads, to make room.`
  const facts = {
    used_bytes: use.used,
    reserved_bytes: use.reserved,
    limit_bytes: limit,
    left_bytes: left,
    requested_bytes: bytes,
  }
  return new HubError('quota.storage', detail, { items: [{ type: 'quota.storage', detail, ...facts }] })
}
