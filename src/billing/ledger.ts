/**
 * The ledger: the cost of each job for the billed account. Append-only, enforced by a trigger; corrections are separate
 * rows.
 */
import { newId } from '@hub/formats/ids'
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
  /** The resource that is paid for. */
  readonly kind: 'gpu' | 'cpu'
  /** Null for work that no tier prices. */
  readonly tier: string | null
  readonly seconds: number
  readonly amountUsd: Usd
}

const insertEntry = statement({
  name: 'ledger-insert',
  params: {
    id: param.text(),
    accountId: param.text(),
    jobKind: param.text(),
    jobId: param.text(),
    attempt: param.int4(),
    kind: param.text(),
    tier: param.text.orNull(),
    seconds: param.numeric<number>(),
    amountUsd: param.numeric<Usd>(),
  },
  text: `insert into ledger (id, account_id, job_kind, job_id, attempt, kind, tier, seconds, amount_usd)
    values (:id, :accountId, :jobKind, :jobId, :attempt, :kind, :tier, :seconds::numeric, :amountUsd::numeric)`,
})

const insertEntries = statement({
  name: 'ledger-insert-many',
  params: {
    ids: param.texts(),
    accountId: param.text(),
    jobKind: param.text(),
    jobIds: param.texts(),
    attempt: param.int4(),
    kind: param.text(),
    tier: param.text.orNull(),
    seconds: param.numerics(),
    amounts: param.numerics<readonly Usd[]>(),
  },
  text: `insert into ledger (id, account_id, job_kind, job_id, attempt, kind, tier, seconds, amount_usd)
    select given.id, :accountId, :jobKind, given.job, :attempt::int, :kind, :tier, given.seconds, given.amount
    from unnest(:ids::text[], :jobIds::text[], :seconds::numeric[], :amounts::numeric[]) as given (id, job, seconds,
      amount)`,
})

/** The members in which the rows of one batch differ. `seconds` is the text of a PostgreSQL numeric. */
export interface LedgerLine {
  readonly jobId: string
  readonly seconds: string
  readonly amountUsd: Usd
}

/** Writes rows that differ only in their lines, in one statement, in the caller's transaction. */
export async function addLedgerEntries(
  tx: Querier,
  common: Pick<LedgerEntry, 'accountId' | 'jobKind' | 'attempt' | 'kind' | 'tier'>,
  lines: readonly LedgerLine[],
): Promise<void> {
  await tx.query(insertEntries, {
    ...common,
    ids: lines.map(() => newId('led')),
    jobIds: lines.map(({ jobId }) => jobId),
    seconds: lines.map(({ seconds }) => seconds),
    amounts: lines.map(({ amountUsd }) => amountUsd),
  })
}

/** Writes one row, in the caller's transaction. */
export async function addLedgerEntry(tx: Querier, entry: LedgerEntry): Promise<void> {
  await tx.query(insertEntry, { id: newId('led'), ...entry })
}
