/** The ledger: what each job cost the account that is billed for it. Append-only, held by a trigger; a correction is a row of its own. */
import { newId } from '../platform/ids.ts'
import type { Usd } from '../platform/money.ts'
import type { Querier, Statement } from '../store/db.ts'

/** What an account is billed for. */
export type BilledKind = 'run' | 'robot_check' | 'endpoint_session'

export interface LedgerEntry {
  readonly accountId: string
  readonly jobKind: BilledKind
  readonly jobId: string
  /** One row for each attempt and kind: a second one is an error of the database. */
  readonly attempt: number
  /** What is paid for. */
  readonly kind: 'gpu'
  /** Null for work that no tier prices. */
  readonly tier: string | null
  readonly seconds: number
  readonly amountUsd: Usd
}

const insertEntry: Statement<never> = {
  name: 'ledger-insert',
  text: `insert into ledger (id, account_id, job_kind, job_id, attempt, kind, tier, seconds, amount_usd)
    values ($1, $2, $3, $4, $5, $6, $7, $8::numeric, $9::numeric)`,
}

/** Writes one row, in the transaction that makes it due. */
export async function addLedgerEntry(tx: Querier, entry: LedgerEntry): Promise<void> {
  const { accountId, jobKind, jobId, attempt, kind, tier, seconds, amountUsd } = entry
  await tx.query(insertEntry, [newId('led'), accountId, jobKind, jobId, attempt, kind, tier, seconds, amountUsd])
}
