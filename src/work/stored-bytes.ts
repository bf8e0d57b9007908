/**
 * The stored bytes of jobs count against their owner's storage quota, together with files. The column `stored_bytes` is the share of a job, so that it can be
 * released with the job. Contract, "Storage quota". Lock order: jobs, accounts.
 */
import { countBytes } from '../files/reservation.ts'
import type { Config } from '../platform/config.ts'
import type { Querier } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import { type JobKind, memoizeByKey } from './job-kind.ts'

const addShare = memoizeByKey(({ name, table }: JobKind) =>
  statement({
    name: `${name}-stored-bytes`,
    params: { jobId: param.text(), bytes: param.int8() },
    text: `update ${table} set stored_bytes = stored_bytes + :bytes::bigint where id = :jobId`,
  }),
)

/**
 * Adds `bytes` (subtracts them if negative) in the transaction that stores them, which holds the job's row lock. 413 `quota.storage` if the owner's quota is
 * exceeded.
 */
export async function countStored(
  tx: Querier,
  config: Config,
  job: JobKind,
  { id, ownerId }: { readonly id: string; readonly ownerId: string },
  bytes: number,
): Promise<void> {
  if (bytes === 0) return
  await tx.query(addShare(job), { jobId: id, bytes })
  await countBytes(tx, config, ownerId, bytes)
}
