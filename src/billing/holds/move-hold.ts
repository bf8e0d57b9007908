/**
 * All changes of a hold: one update under its row lock, only from `pending`, with an audit row. Lock order: repos,
 * jobs, holds, accounts.
 */
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
  id: column.text('u.id'),
  accountId: column.text('u.account_id'),
  status: column.text<SpendHoldStatus>(holdStatusSql),
  reserveUsd: column.numeric<Usd>('u.reserve_usd'),
})
type LockedHold = RowOf<typeof lockedColumns>

const lockById = statement({
  name: 'spend-hold-lock',
  columns: lockedColumns,
  params: { holdId: param.text() },
  text: `select ${lockedColumns.sql} from spend_holds u where u.id = :holdId for update`,
})

const oneColumn = columns({ id: column.text('u.id') })
const overSql = `u.status = 'pending' and u.expires_at <= now()`

/** An expired hold, if there is one. Most of the time there is none, and the sweep opens no transaction. */
export const nextOver = statement({
  name: 'spend-hold-next-over',
  exact: 'next-batch',
  columns: oneColumn,
  text: `select ${oneColumn.sql} from spend_holds u where ${overSql} limit 1`,
})

/** SKIP LOCKED: a hold that a person is deciding at this moment is left to them. */
const lockOver = statement({
  name: 'spend-holds-over',
  columns: lockedColumns,
  text: `select ${lockedColumns.sql} from spend_holds u where ${overSql}
    order by u.expires_at limit 100 for update skip locked`,
})

const decide = statement({
  name: 'spend-hold-decide',
  params: {
    holdId: param.text(),
    status: param.enum('SpendHoldStatus'),
    decidedBy: param.text.orNull(),
    reason: param.text.orNull(),
    resultId: param.text.orNull(),
  },
  text: `update spend_holds set status = :status::"SpendHoldStatus", decided_by = :decidedBy, reason = :reason,
    result_id = :resultId,
      decided_at = case when :status = 'expired' then expires_at else now() end
    where id = :holdId and status = 'pending'`,
})

export interface Decision {
  readonly trigger: HoldTrigger
  /** The person who decides; null if the filing key cancels the hold, or if the hold expires. */
  readonly personId: string | null
  readonly reason: string | null
  /** Id of the job that was created. */
  readonly resultId: string | null
}

/**
 * Locks a hold until the transaction ends; 404 if it does not exist, 409 `conflict.not_pending` if it is no longer
 * pending.
 */
export async function lockPendingHold(tx: Tx, holdId: string, trigger: HoldTrigger): Promise<LockedHold> {
  const [hold] = await tx.query(lockById, { holdId })
  if (!hold) throw notFound(`The hold ${holdId}`)
  nextHoldStatus(trigger, hold.status)
  return hold
}

/** Moves a hold that the transaction has locked, and sends a change hint after the commit. */
export async function moveHold({
  deps,
  tx,
  ctx,
  hold: { id, accountId },
  decision: { trigger, personId, reason, resultId },
}: {
  readonly deps: Pick<Deps, 'events'>
  readonly tx: Tx
  readonly ctx: AuditContext
  readonly hold: Pick<LockedHold, 'id' | 'accountId'>
  readonly decision: Decision
}): Promise<void> {
  const status = nextHoldStatus(trigger, 'pending')
  await tx.query(decide, { holdId: id, status, decidedBy: personId, reason, resultId })
  const after = { status, ...(reason !== null && { reason }), ...(resultId !== null && { resultId }) }
  await audit(tx, ctx, { action: `spend.${trigger}`, accountId, targetId: id, before: { status: 'pending' }, after })
  tx.afterCommit(() => deps.events.hint(id))
}

/** Locks expired holds, at most 100; skips those that are being decided. */
export function lockExpiredHolds(tx: Tx): Promise<LockedHold[]> {
  return tx.query(lockOver)
}
