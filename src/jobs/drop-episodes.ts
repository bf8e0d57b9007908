/**
 * Episodes whose result is gone: their bytes are given back to the quota, and deleted. A result goes with its model or
 * its robot, and when newer ones push it out; the database then takes its id out of the episodes.
 */
import { lockAccounts } from '../accounts/lock-accounts.ts'
import type { Deps } from '../operation/context.ts'
import { column, columns } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'
import { doomUnreferenced, lockBlobs } from './collect-rows.ts'

const BATCH = 500

const droppedColumns = columns({
  id: column.int8('e.id'),
  ownerId: column.text('e.owner_id'),
  blobId: column.text('e.blob_id'),
})

/** Those whose films are gone too. SKIP LOCKED: another hub takes others. */
const dropped = statement({
  name: 'rollout-episodes-dropped',
  columns: droppedColumns,
  text: `select ${droppedColumns.sql} from rollout_episodes e where e.rollout_id is null
      and not exists (select 1 from episode_films f where f.kept_id = e.id) order by e.id limit ${BATCH}
    for update skip locked`,
})

const forget = statement({
  name: 'rollout-episodes-forget',
  params: { ids: param.int8s() },
  text: `with gone as (delete from rollout_episodes e using blobs b where e.id = any(:ids::bigint[]) and b.id = e.blob_id
        returning e.owner_id, b.size),
      sums as (select owner_id, sum(size)::bigint as bytes from gone group by owner_id)
    update accounts a set storage_bytes = a.storage_bytes - s.bytes from sums s where a.id = s.owner_id`,
})

/** Runs batches until none is left. Lock order: episodes without a result, accounts, blobs. */
export async function dropEpisodes({ db }: Deps, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const count = await db.withTx(async (tx) => {
      const rows = await tx.query(dropped)
      if (rows.length === 0) return 0
      const blobIds = [...new Set(rows.map(({ blobId }) => blobId))]
      await lockAccounts(tx, [...new Set(rows.map(({ ownerId }) => ownerId))])
      await tx.query(lockBlobs, { blobIds })
      await tx.query(forget, { ids: rows.map(({ id }) => id) })
      await tx.query(doomUnreferenced, { blobIds })
      return rows.length
    })
    if (count < BATCH) return
  }
}
