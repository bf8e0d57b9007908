/** Storage quota: bytes are promised to an upload when it is presigned, and counted as stored when its file is linked. */
import type { Config } from '../config.ts'
import { HubError } from '../errors.ts'
import type { Querier, Statement } from '../store/db.ts'

interface StorageUse {
  readonly used: number
  readonly reserved: number
}

/** Check and promise in one statement: of two presigns that race for the last room, one gets it. Giving bytes back (negative) always works. */
const reserve: Statement<StorageUse> = {
  name: 'accounts-reserve',
  text: `update accounts set reserved_bytes = reserved_bytes + $2::bigint
    where id = $1 and ($2::bigint <= 0 or storage_bytes + reserved_bytes + $2::bigint <= $3::bigint)
    returning storage_bytes as used, reserved_bytes as reserved`,
}

const storageUse: Statement<StorageUse> = {
  name: 'accounts-storage-use',
  text: 'select storage_bytes as used, reserved_bytes as reserved from accounts where id = $1',
}

/** Promises `bytes` of the owner's quota; 413 `quota.storage` names what is used and what the limit is. */
export async function reserveStorage(tx: Querier, config: Config, ownerId: string, bytes: number): Promise<void> {
  const [granted] = await tx.query(reserve, [ownerId, bytes, config.storageQuotaBytes])
  if (granted) return
  const [use] = await tx.query(storageUse, [ownerId])
  throw overQuota(config, use ?? { used: 0, reserved: 0 }, bytes)
}

/** The same question without the promise, before anything is made in the store for an answer that is known already. */
export async function assertRoom(querier: Querier, config: Config, ownerId: string, bytes: number): Promise<void> {
  const [use] = await querier.query(storageUse, [ownerId])
  if (use && use.used + use.reserved + bytes > config.storageQuotaBytes) throw overQuota(config, use, bytes)
}

function overQuota(config: Config, use: StorageUse, bytes: number): HubError {
  const limit = config.storageQuotaBytes
  const detail =
    `The owner has ${use.used} bytes stored and ${use.reserved} promised to pending uploads; ` +
    `${bytes} more would pass the limit of ${limit} bytes. Delete files, or abort uploads, to make room.`
  const facts = { used_bytes: use.used, reserved_bytes: use.reserved, limit_bytes: limit, requested_bytes: bytes }
  return new HubError('quota.storage', detail, { items: [{ type: 'quota.storage', detail, ...facts }] })
}
