/**
 * Reservations: every priced job reserves the most that it can cost, from its creation to its end, so that no bill
 * exceeds the money that was left when the job was accepted. Spec, "approveSpendHold";
 * contract, "Money that is reserved".
 */
import { type AuditContext, audit } from '../operation/audit.ts'
import { HubError } from '../platform/errors.ts'
import { type Usd, usdLess, usdSum } from '../platform/money.ts'
import { column, columns } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { insertInto, sql } from '../store/insert.ts'
import { param, statement } from '../store/statement.ts'
import { CAP_PASSED, capOf, monthUsd, readSpendMonth, type SpendMonth } from './spend-month.ts'

/** Kinds of jobs that reserve money. The ledger has the sessions of an endpoint instead of the endpoint. */
export type SpendJobKind = 'run' | 'robot_check' | 'endpoint'

export interface SpendRequest {
  readonly jobId: string
  readonly jobKind: SpendJobKind
  /**
   * The account that is billed. The caller has locked it (`lockAccounts`), and inserts or keeps the job in the same
   * transaction.
   */
  readonly accountId: string
  /** The most that the job can cost in all, minus what the ledger already has of it. */
  readonly amountUsd: Usd
  /** Whether the free allowance covers it. */
  readonly isAllowance: boolean
  /** RFC 3339: for a job without a limit, the time up to which `amountUsd` covers it; null for all others. */
  readonly coversTo: string | null
}

const spendReservationRow = insertInto('spend_reservations', {
  jobId: param.text(),
  jobKind: param.text<SpendJobKind>(),
  accountId: param.text(),
  amountUsd: param.numeric<Usd>(),
  allowance: sql(':isAllowance', { isAllowance: param.bool() }),
  coversTo: param.timestamptz.orNull(),
})

/** Replaces the job's reservation if there is one (`renewSpend`). */
const putReservation = statement({
  name: 'spend-reserve',
  params: spendReservationRow.params,
  text: `${spendReservationRow.sql}
    on conflict (job_id) do update set amount_usd = excluded.amount_usd, covers_to = excluded.covers_to`,
})

const deleteReservation = statement({
  name: 'spend-release',
  params: { jobId: param.text() },
  text: 'delete from spend_reservations where job_id = :jobId',
})

const restColumns = columns({
  endsAt: column.timestamptz(`date_trunc('month', now(), 'UTC') + interval '1 month'`),
  seconds: column.float8(`extract(epoch from date_trunc('month', now(), 'UTC') + interval '1 month' - now())::float8`),
})
const restOfThisMonth = statement({
  name: 'spend-rest-of-month',
  exact: 'server',
  columns: restColumns,
  text: `select ${restColumns.sql}`,
})

/**
 * Reserves and returns null. If the month would pass a cap in STOP mode, or that cap is 0, reserves nothing and returns
 * the error 429 `quota.spend_cap`: an account that allows no spending starts no priced job, whatever it costs. A month
 * that passes a cap in NOTIFY mode is recorded once (audit `spend.cap_passed`).
 */
export async function tryReserveSpend(tx: Querier, ctx: AuditContext, request: SpendRequest): Promise<HubError | null> {
  const month = await readSpendMonth(tx, request.accountId, request.jobId)
  const cap = capOf(month)
  const wanted = usdSum(monthUsd(month), request.amountUsd)
  const isPassed = cap !== null && usdLess(wanted, cap.limitUsd) !== wanted
  if (cap?.mode === 'stop' && (isPassed || Number(cap.limitUsd) === 0)) return capRefusal(month, request.amountUsd)
  await tx.query(putReservation, { ...request })
  if (isPassed && month.passedAt === null) {
    const after = { limitUsd: cap.limitUsd, monthUsd: wanted, jobId: request.jobId }
    await audit(tx, ctx, { action: CAP_PASSED, accountId: request.accountId, targetId: request.accountId, after })
  }
  return null
}

/** Reserves for a new job; throws 429 `quota.spend_cap` if a cap in STOP mode has no room for it. */
export async function reserveSpend(tx: Querier, ctx: AuditContext, request: SpendRequest): Promise<void> {
  const refusal = await tryReserveSpend(tx, ctx, request)
  if (refusal) throw refusal
}

/**
 * Replaces the reservation of a job; the old amount is not counted in addition. Returns null, or the refusal: the job
 * then keeps its old reservation and has to stop by its `coversTo`.
 */
export function renewSpend(tx: Querier, ctx: AuditContext, request: SpendRequest): Promise<HubError | null> {
  return tryReserveSpend(tx, ctx, request)
}

/** Ends the reservation of a job, if it has one, in the transaction that ends the job and writes its ledger row. */
export async function releaseSpend(tx: Querier, jobId: string): Promise<void> {
  await tx.query(deleteReservation, { jobId })
}

/** The end of this month (RFC 3339) and the seconds until then, for a job without a limit. */
export async function readRestOfMonth(
  querier: Querier,
): Promise<{ readonly endsAt: string; readonly seconds: number }> {
  const [rest] = await querier.query(restOfThisMonth)
  if (!rest) throw new Error('A clock has one time.')
  return rest
}

function capRefusal(month: SpendMonth, amountUsd: Usd): HubError {
  const type = 'quota.spend_cap'
  const { handle, recordedUsd, reservedUsd, capUsd, endsAt } = month
  const detail =
    `The spend cap of ${handle} stops at ${capUsd} USD a month. The month has ${recordedUsd} USD recorded and ${reservedUsd} USD that work in progress can still ` +
    `cost, and this job can cost up to ${amountUsd} USD. The month ends at ${endsAt}; an owner of the account may raise the cap.`
  const facts = {
    cost_usd_max: Number(amountUsd),
    limit_usd: Number(capUsd),
    recorded_usd: Number(recordedUsd),
    reserved_usd: Number(reservedUsd),
    resets_at: endsAt,
  }
  return new HubError(type, detail, {
    items: [{ type, detail, ...facts }],
    facts: { limit: Number(capUsd), used: Number(monthUsd(month)), retryAfterS: month.secondsLeft, resetsAt: endsAt },
  })
}
