/**
 * The cloud spend of an account in the current calendar month (UTC): recorded, reserved, and its cap.
 * Contract, "Money that is reserved".
 */
import { type Usd, usdSum } from '../platform/money.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'

/** `notify` records that the month passed the cap; `stop` refuses what would carry it past. */
export type SpendCapMode = 'notify' | 'stop'

export interface SpendCap {
  readonly mode: SpendCapMode
  readonly limitUsd: Usd
}

/**
 * Read in one statement: a job that ends between two statements would be missing in both sums, or be counted in both.
 * Months begin at midnight UTC, by the database's clock.
 */
const spendColumns = columns({
  accountId: column.text('a.id'),
  handle: column.text('a.handle'),
  /** The sum of the month's ledger rows. */
  recordedUsd: column.text<Usd>('recorded.usd::numeric(14, 4)::text'),
  /** The most that jobs in progress can still cost, whenever they began. */
  reservedUsd: column.text<Usd>('reserved.usd::numeric(14, 4)::text'),
  capUsd: column.text.orNull<Usd>('a.spend_cap_usd::text'),
  capMode: column.text.orNull<SpendCapMode>('lower(a.spend_cap_mode::text)'),
  /** Time at which the month first passed a cap that only notifies; null if it has not. */
  passedAt: column.timestamptz.orNull('passed.at'),
  startsAt: column.timestamptz('month.start'),
  endsAt: column.timestamptz(`month.start + interval '1 month'`),
  secondsLeft: column.float8(`extract(epoch from month.start + interval '1 month' - now())::float8`),
})

export type SpendMonth = RowOf<typeof spendColumns>

/** The action of the audit entry that `passedAt` reads; its target is the account. */
export const CAP_PASSED = 'spend.cap_passed'

const spendOfMonth = statement({
  name: 'spend-of-month',
  exact: 'aggregate',
  columns: spendColumns,
  params: { accountIds: param.texts(), exceptJobId: param.text.orNull() },
  text: `select ${spendColumns.sql} from accounts a cross join (select date_trunc('month', now(), 'UTC') as start) month
    cross join lateral (select coalesce(sum(l.amount_usd), 0) as usd from ledger l where l.account_id = a.id
      and l.at >= month.start) recorded
    cross join lateral (select coalesce(sum(r.amount_usd), 0) as usd from spend_reservations r
      where r.account_id = a.id and r.job_id is distinct from :exceptJobId) reserved
    cross join lateral (select min(l.at) as at from audit_log l
      where l.target_id = a.id and l.action = '${CAP_PASSED}' and l.at >= month.start) passed
    where a.id = any(:accountIds::text[])`,
})

/**
 * The month of each of these accounts that exists, in no particular order. `exceptJobId`: the job whose reservation is
 * left out, because it is about to be replaced.
 */
export function readSpendMonths(
  querier: Querier,
  accountIds: readonly string[],
  exceptJobId: string | null = null,
): Promise<SpendMonth[]> {
  return querier.query(spendOfMonth, { accountIds, exceptJobId })
}

/** The month of one account, which must exist. */
export async function readSpendMonth(
  querier: Querier,
  accountId: string,
  exceptJobId: string | null = null,
): Promise<SpendMonth> {
  const [found] = await readSpendMonths(querier, [accountId], exceptJobId)
  if (!found) throw new Error(`There is no account ${accountId}.`)
  return found
}

/** Recorded and reserved together: what the cap is compared with. */
export const monthUsd = ({ recordedUsd, reservedUsd }: Pick<SpendMonth, 'recordedUsd' | 'reservedUsd'>): Usd =>
  usdSum(recordedUsd, reservedUsd)

/** The account's cap; null if it has none. */
export function capOf({ capUsd, capMode }: Pick<SpendMonth, 'capUsd' | 'capMode'>): SpendCap | null {
  return capUsd === null || capMode === null ? null : { mode: capMode, limitUsd: capUsd }
}
