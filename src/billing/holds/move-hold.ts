/** Every change of a hold: one update under the lock of its row, from pending alone, with its audit row. Lock order: repos, jobs, holds, accounts. */
import { type AuditContext, audit } from '../../operation/audit.ts'
import type { Deps } from '../../operation/context.ts'
import { notFound } from '../../platform/errors.ts'
import type { Usd } from '../../platform/money.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import type { Tx } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { holdStatusSql } from './hold-shape.ts'
import { type HoldTrigger, nextHoldStatus, type SpendHoldStatus } from './hold-state.ts'

const lockedColumns = columns({
  id: column<string>('u.id'),
  accountId: column<string>('u.account_id'),
  status: column<SpendHoldStatus>(holdStatusSql),
  reserveUsd: column<Usd>('u.reserve_usd'),
})
type LockedHold = RowOf<typeof lockedColumns>

const lockById = statement({
  name: 'spend-hold-lock',
  columns: lockedColumns,
  text: `select ${lockedColumns.sql} from spend_holds u where u.id = $1 for update`,
})

const oneColumn = columns({ id: column<string>('u.id') })
const overSql = `u.status = 'pending' and u.expires_at <= now()`

/** Whether there is anything to sweep: most of the time there is not, and no transaction is opened. */
export const nextOver = statement({
  name: 'spend-hold-next-over',
  columns: oneColumn,
  text: `select ${oneColumn.sql} from spend_holds u where ${overSql} limit 1`,
})

/** SKIP LOCKED: what a person decides right now is theirs. */
const lockOver = statement({
  name: 'spend-holds-over',
  columns: lockedColumns,
  text: `select ${lockedColumns.sql} from spend_holds u where ${overSql}
    order by u.expires_at limit 100 for update skip locked`,
})

const decide = statement({
  name: 'spend-hold-decide',
  params: {
    holdId: param<string>(),
    status: param<SpendHoldStatus>(),
    decidedBy: param<string | null>(),
    reason: param<string | null>(),
    resultId: param<string | null>(),
  },
  text: `update spend_holds set status = :status::"SpendHoldStatus", decided_by = :decidedBy, reason = :reason, result_id = :resultId,
      decided_at = case when :status = 'expired' then expires_at else now() end
    where id = :holdId and status = 'pending'`,
})

export interface Decision {
  readonly trigger: HoldTrigger
  /** The person; null where the filing key cancels it, or time decides. */
  readonly personId: string | null
  readonly reason: string | null
  /** Of the job that was created. */
  readonly resultId: string | null
}

/** Locks a hold until the transaction ends; 404 for one that is gone, 409 `conflict.not_pending` where the trigger does not move it any more. */
export async function lockPendingHold(tx: Tx, holdId: string, trigger: HoldTrigger): Promise<LockedHold> {
  const [hold] = await tx.query(lockById, [holdId])
  if (!hold) throw notFound(`The hold ${holdId}`)
  nextHoldStatus(trigger, hold.status)
  return hold
}

/** Moves a hold that the transaction has locked, and hints after the commit. */
export async function moveHold(
  deps: Pick<Deps, 'events'>,
  tx: Tx,
  ctx: AuditContext,
  { id, accountId }: Pick<LockedHold, 'id' | 'accountId'>,
  { trigger, personId, reason, resultId }: Decision,
): Promise<void> {
  const status = nextHoldStatus(trigger, 'pending')
  await tx.query(decide, { holdId: id, status, decidedBy: personId, reason, resultId })
  const after = { status, ...(reason !== null && { reason }), ...(resultId !== null && { resultId }) }
  await audit(tx, ctx, { action: `spend.${trigger}`, accountId, targetId: id, before: { status: 'pending' }, after })
  tx.afterCommit(() => deps.events.hint(id))
}

/** Holds whose time is over, of those that are not being decided right now; at most a hundred. */
export function lockExpiredHolds(tx: Tx): Promise<LockedHold[]> {
  return tx.query(lockOver)
}
