/** What a run that ends is billed: one row of the ledger for its last attempt, also when that is nothing. */
import { newId } from '../../platform/ids.ts'
import type { Usd } from '../../platform/money.ts'
import type { Querier, Statement } from '../../store/db.ts'
import { accruedUsd, billedSeconds } from '../read/spend.ts'
import type { HeldRun } from '../run-row.ts'

const insertEntry: Statement<never> = {
  name: 'ledger-run',
  text: `insert into ledger (id, account_id, job_kind, job_id, attempt, kind, tier, seconds, amount_usd)
    values ($1, $2, 'run', $3, $4, 'gpu', $5, $6::numeric, $7::numeric)`,
}

/** Writes the ledger row of a claimed run that ends at its `now`, in the transaction that ends it; returns what it costs. */
export async function chargeRun(tx: Querier, run: HeldRun): Promise<Usd> {
  const facts = { ...run, finishedAt: run.now, costUsd: null }
  const cost = accruedUsd(facts, run.now)
  const seconds = billedSeconds(facts, run.now)
  const tier = run.priced ? run.gpuType : null
  await tx.query(insertEntry, [newId('led'), run.ownerId, run.id, run.attempt, tier, seconds, cost])
  return cost
}
