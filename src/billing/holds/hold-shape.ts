/** The columns of a spend hold for every read. Spec, "Spend hold"; contract, "Spend holds". */

import { readAccount } from '../../auth/account-json.ts'
import type { Usd } from '../../platform/money.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import { object } from '../../store/read-json.ts'
import type { SpendHoldStatus } from './hold-state.ts'

/** Whether the hold in the row `u` has expired by the database's clock. The sweep stores the status later. */
const isOverSql = `(u.status = 'pending' and u.expires_at <= now())`

/** The status that callers see: `expired` from the expiry on, before the sweep has stored it. */
export const holdStatusSql = `case when ${isOverSql} then 'expired' else u.status::text end`

/** The kind of job that a hold asks for. */
export type HeldKind = 'run' | 'robot_check' | 'endpoint'

export const holdColumns = columns({
  id: column.text('u.id'),
  status: column.text<SpendHoldStatus>(holdStatusSql),
  kind: column.enum('SpendHoldKind', 'u.kind'),
  account: column.json(
    `json_build_object('id', a.id, 'kind', a.kind, 'handle', a.handle, 'name', a.name)`,
    readAccount,
  ),
  filedBy: column.text('u.filed_by'),
  filedByName: column.text('u.filed_by_name'),
  createdBy: column.text.orNull('u.created_by'),
  /** The request as the client sent it, with the member names of `/v1`. */
  request: column.json('u.request', object),
  summary: column.text('u.summary'),
  estimateUsd: column.numeric<Usd>('u.estimate_usd'),
  reserveUsd: column.numeric<Usd>('u.reserve_usd'),
  allowanceUsd: column.numeric<Usd>('u.allowance_usd'),
  createdAt: column.timestamptz('u.created_at'),
  expiresAt: column.timestamptz('u.expires_at'),
  decidedAt: column.timestamptz.orNull(`coalesce(u.decided_at, case when ${isOverSql} then u.expires_at end)`),
  decidedBy: column.json.orNull(
    `case when d.id is not null then json_build_object('id', d.id, 'kind', d.kind, 'handle', d.handle, 'name', d.name) end`,
    readAccount,
  ),
  reason: column.text.orNull('u.reason'),
  resultId: column.text.orNull('u.result_id'),
})

export const holdTables =
  'spend_holds u join accounts a on a.id = u.account_id left join accounts d on d.id = u.decided_by'

export type SpendHold = RowOf<typeof holdColumns>

/** Whether the result of a create is a hold instead of a job. */
export const isSpendHold = (result: { readonly id: string }): result is SpendHold => result.id.startsWith('spend_')
