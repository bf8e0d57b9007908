/**
 * What jobs keep counts in their owner's storage quota, in one sum with files. The job's `stored_bytes` is its share, so that it can be released with the job.
 * Contract, "Storage quota". Lock order: jobs, accounts.
 */
import { countBytes } from '../files/reservation.ts'
import type { Config } from '../platform/config.ts'
import type { Querier } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import { type JobKind, memoizeByKey } from './job-kind.ts'

const addShare = memoizeByKey(({ name, table }: JobKind) =>
  statement({
    name: `${name}-stored-bytes`,
    params: { jobId: param<string>(), bytes: param<number>() },
    text: `update ${table} set stored_bytes = stored_bytes + :bytes::bigint where id = :jobId`,
  }),
)

/**
 * Counts so many bytes more (or fewer, where negative), in the transaction that keeps them, which holds the job's row; 413 `quota.storage` where the owner has
 * no room for more.
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
