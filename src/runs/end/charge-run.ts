/** What a run that ends is billed: one row of the ledger for its last attempt, also when that is nothing. */
import { addLedgerEntry } from '../../billing/ledger.ts'
import type { Usd } from '../../platform/money.ts'
import type { Querier } from '../../store/db.ts'
import { accruedUsd, billedSeconds } from '../read/spend.ts'
import type { HeldRun } from '../run-row.ts'

/** Writes the ledger row of a claimed run that ends at its `now`, in the transaction that ends it; returns what it costs. */
export async function chargeRun(tx: Querier, run: HeldRun): Promise<Usd> {
  const facts = { ...run, finishedAt: run.now, costUsd: null }
  const amountUsd = accruedUsd(facts, run.now)
  await addLedgerEntry(tx, {
    accountId: run.ownerId,
    jobKind: 'run',
    jobId: run.id,
    attempt: run.attempt,
    kind: 'gpu',
    tier: run.priced ? run.gpuType : null,
    seconds: billedSeconds(facts, run.now),
    amountUsd,
  })
  return amountUsd
}
