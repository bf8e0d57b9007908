/**
 * The ledger: the cost of each job for the billed account. Append-only, enforced by a trigger; corrections are separate
 * rows.
 */
import { newId } from '@hub/formats/ids'
import type { Usd } from '../platform/money.ts'
import type { Querier } from '../store/db.ts'
import { each, insertEach, insertInto } from '../store/insert.ts'
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

const ledgerRow = insertInto('ledger', {
  id: param.text(),
  accountId: param.text(),
  jobKind: param.text(),
  jobId: param.text(),
  attempt: param.int4(),
  kind: param.text(),
  tier: param.text.orNull(),
  seconds: param.numeric<number>(),
  amountUsd: param.numeric<Usd>(),
})

const insertEntry = statement({
  name: 'ledger-insert',
  params: ledgerRow.params,
  text: ledgerRow.sql,
})

const ledgerRows = insertEach('ledger', {
  id: each('ids', param.texts()),
  accountId: param.text(),
  jobKind: param.text(),
  jobId: each('jobIds', param.texts()),
  attempt: param.int4(),
  kind: param.text(),
  tier: param.text.orNull(),
  seconds: each('seconds', param.numerics()),
  amountUsd: each('amounts', param.numerics<readonly Usd[]>()),
})

const insertEntries = statement({ name: 'ledger-insert-many', params: ledgerRows.params, text: ledgerRows.sql })

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
