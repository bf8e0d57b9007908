/**
 * Bytes that an account counts ahead for each of its running runs, so that their reports do not wait for each other at
 * the account's row. A report takes its bytes from the spare of its run, which it alone changes. Only where that does
 * not suffice does it change the account, and takes the next spare with it. So the account's sum is never less than
 * what is stored, and the quota is checked against it without a look at the spares. Before anything is refused, they
 * are given back: what fits gets its place. What an account is shown is its sum less its spares. Lock order: accounts,
 * spares.
 */

import { lockAccounts } from '../accounts/lock-accounts.ts'
import type { Config } from '../platform/config.ts'
import { column, columns } from '../store/columns.ts'
import type { Db, Querier, Tx } from '../store/db.ts'
import { insertSelected, sql } from '../store/insert.ts'
import { param, statement } from '../store/statement.ts'

/** The spare that a report takes: 150 reports of 7 KiB, of which one waits at the account. */
export const SPARE_BYTES = 1024 ** 2

/** With less room than this in the quota no spare is taken, so that none need be given back for each report. */
export const SPARE_ROOM_BYTES = 1024 ** 3

const spareRow = insertSelected('storage_spares as s', {
  ownerId: param.text(),
  runId: param.text(),
  bytes: sql('counted.spare'),
})

/** The quota is an error of the statement, a division by zero: a commit may follow in the same round trip. */
const take = statement({
  name: 'storage-spares-take',
  params: { ...spareRow.params, added: param.int8(), quotaBytes: param.int8() },
  rewrites: 'runId',
  text: `with taken as (update storage_spares s set bytes = s.bytes - :added::bigint
        where s.owner_id = :ownerId and s.run_id = :runId
          and s.bytes - :added::bigint between 0 and ${2 * SPARE_BYTES} returning s.run_id),
      account as (select a.id, case when :added::bigint between 0 and ${SPARE_BYTES}
          and a.storage_bytes + a.reserved_bytes + :added::bigint <= :quotaBytes::bigint - ${SPARE_ROOM_BYTES}
          then ${SPARE_BYTES} else 0 end as spare
        from accounts a where a.id = :ownerId and not exists (select from taken) for no key update),
      counted as (update accounts a set storage_bytes = a.storage_bytes + account.spare
          + :added::bigint / case when :added::bigint <= 0
            or a.storage_bytes + a.reserved_bytes + :added::bigint <= :quotaBytes::bigint then 1 else 0 end
        from account where a.id = account.id returning account.spare)
    ${spareRow.sql} from counted where counted.spare > 0
    on conflict (owner_id, run_id) do update set bytes = s.bytes + excluded.bytes`,
})

/**
 * Counts the bytes that a report stores, or gives back if they are negative, with a later statement or the commit. A
 * quota that they exceed is the error that `asQuotaRefusal` knows.
 */
export function takeBytes(
  tx: Tx,
  config: Config,
  run: { readonly id: string; readonly ownerId: string },
  added: number,
): void {
  const { id: runId, ownerId } = run
  if (added !== 0) tx.later(take, { ownerId, runId, added, quotaBytes: config.storageQuotaBytes })
}

/** The statement whose division by zero says that a quota is exceeded. */
export const TAKING = take.name

const givenColumn = columns({ given: column.int8('(select coalesce(sum(bytes), 0)::int8 from given)') })

/** A report that waits for a row which goes finds none, and then counts at the account. */
const giveBack = statement({
  name: 'storage-spares-give-back',
  params: { ownerId: param.text(), onlyIdle: param.bool() },
  columns: givenColumn,
  text: `with given as (delete from storage_spares s where s.owner_id = :ownerId and not (:onlyIdle
        and exists (select from runs u where u.id = s.run_id and u.status = 'running')) returning s.bytes)
    update accounts set storage_bytes = storage_bytes - (select coalesce(sum(bytes), 0) from given)
    where id = :ownerId and exists (select from given) returning ${givenColumn.sql}`,
})

/**
 * Takes the spares of an account out of its sum; returns how many bytes they were. The lock of the account comes first
 * and in a statement of its own: no report adds a spare after it, and this sees all that were.
 */
export async function giveSparesBack(tx: Querier, ownerId: string, which: 'all' | 'idle' = 'all'): Promise<number> {
  await lockAccounts(tx, [ownerId])
  const [row] = await tx.query(giveBack, { ownerId, onlyIdle: which === 'idle' })
  return row?.given ?? 0
}

const ownerColumn = columns({ ownerId: column.text('s.owner_id') })

const idleOwners = statement({
  name: 'storage-spares-idle',
  exact: 'next-batch',
  columns: ownerColumn,
  text: `select distinct ${ownerColumn.sql} from storage_spares s
    where not exists (select from runs u where u.id = s.run_id and u.status = 'running') order by s.owner_id`,
})

/** Gives back what runs that ended, wait again or were deleted have left: one transaction an account. */
export async function giveIdleSparesBack(db: Db, signal: AbortSignal): Promise<void> {
  for (const { ownerId } of await db.query(idleOwners)) {
    signal.throwIfAborted()
    await db.withTx((tx) => giveSparesBack(tx, ownerId, 'idle'))
  }
}
