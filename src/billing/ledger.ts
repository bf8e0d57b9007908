/** The ledger: the cost of each job for the billed account. Append-only, enforced by a trigger; corrections are separate rows. */
import { newId } from '../platform/ids.ts'
import type { Usd } from '../platform/money.ts'
import type { Querier } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'

/** Kinds of billed work. */
export type BilledKind = 'run' | 'robot_check' | 'endpoint_session'

export interface LedgerEntry {
  readonly accountId: string
  readonly jobKind: BilledKind
  readonly jobId: string
  /** One row per attempt and kind: a unique index rejects a second one. */
  readonly attempt: number
  /** What is paid for. */
  readonly kind: 'gpu' | 'cpu'
  /** Null for work that no tier prices. */
  readonly tier: string | null
  readonly seconds: number
  readonly amountUsd: Usd
}

const insertEntry = statement({
  name: 'ledger-insert',
  params: {
    id: param<string>(),
    accountId: param<string>(),
    jobKind: param<string>(),
    jobId: param<string>(),
    attempt: param<number>(),
    kind: param<string>(),
    tier: param<string | null>(),
    seconds: param<number>(),
    amountUsd: param<Usd>(),
  },
  text: `insert into ledger (id, account_id, job_kind, job_id, attempt, kind, tier, seconds, amount_usd)
    values (:id, :accountId, :jobKind, :jobId, :attempt, :kind, :tier, :seconds::numeric, :amountUsd::numeric)`,
})

/** Writes one row, in the caller's transaction. */
export async function addLedgerEntry(tx: Querier, entry: LedgerEntry): Promise<void> {
  await tx.query(insertEntry, { id: newId('led'), ...entry })
}
