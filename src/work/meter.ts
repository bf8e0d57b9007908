/** The cost of a job so far: one function for display, for the comparison with a budget and for the final bill. */
import { addLedgerEntry, type LedgerEntry } from '../billing/ledger.ts'
import { costOfSeconds, type Usd, usdLess } from '../platform/money.ts'
import type { Querier } from '../store/db.ts'

/** Times are RFC 3339; `rateUsdPerHour` has four decimals and is null on an unpriced job. */
export interface MeterFacts {
  readonly priced: boolean
  readonly rateUsdPerHour: Usd | null
  readonly budgetUsd: Usd | null
  readonly claimedAt: string | null
  readonly cancelRequestedAt: string | null
  /** When `max_hours` is used up; null if there is no such time. */
  readonly deadlineAt: string | null
  readonly finishedAt: string | null
}

/** Billing stops at most this long after a cancel, even if the holder takes longer to stop. */
const BILLED_AFTER_CANCEL_MS = 60_000

const timeOr = (time: string | null, otherwise: number) => (time === null ? otherwise : Date.parse(time))

/**
 * Billed seconds of a claim: from the claim to the end or `now`, but at most to one minute after a cancel and to the
 * deadline.
 */
export function billedSeconds(
  job: Pick<MeterFacts, 'claimedAt' | 'cancelRequestedAt' | 'deadlineAt' | 'finishedAt'>,
  now: string,
): number {
  if (job.claimedAt === null) return 0
  const canceled = timeOr(job.cancelRequestedAt, Number.POSITIVE_INFINITY) + BILLED_AFTER_CANCEL_MS
  const deadline = timeOr(job.deadlineAt, Number.POSITIVE_INFINITY)
  const end = Math.min(Date.parse(job.finishedAt ?? now), canceled, deadline)
  return Math.max(0, end - Date.parse(job.claimedAt)) / 1000
}

/**
 * The cost of a job at `now`: 0 unless the job is priced and was claimed. It never exceeds the estimate, since deadline
 * and budget limit it.
 */
export function accruedUsd(job: MeterFacts, now: string): Usd {
  if (!job.priced || job.rateUsdPerHour === null) return '0.0000'
  const cost = costOfSeconds(job.rateUsdPerHour, billedSeconds(job, now))
  return job.budgetUsd === null ? cost : usdLess(cost, job.budgetUsd)
}

/** A claimed job, read under its row lock. */
export interface ChargedJob extends Omit<MeterFacts, 'finishedAt'> {
  readonly id: string
  readonly ownerId: string
  readonly attempt: number
  readonly now: string
}

/**
 * Writes the ledger row of a claimed job that ends at its `now`, even if the cost is 0, in the transaction that ends
 * the job; returns the cost.
 */
export async function chargeJob(
  tx: Querier,
  job: ChargedJob,
  entry: Pick<LedgerEntry, 'jobKind' | 'kind' | 'tier'>,
): Promise<Usd> {
  const facts = { ...job, finishedAt: job.now }
  const amountUsd = accruedUsd(facts, job.now)
  const seconds = billedSeconds(facts, job.now)
  await addLedgerEntry(tx, {
    ...entry,
    accountId: job.ownerId,
    jobId: job.id,
    attempt: job.attempt,
    seconds,
    amountUsd,
  })
  return amountUsd
}
