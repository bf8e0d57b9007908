/**
 * What an account spends in a calendar month (UTC): recorded and reserved by kind of job, its cap and its allowance.
 * Contract, "What an account spends".
 */
import type { AccountRef, RequestContext } from '../operation/context.ts'
import { type Usd, usd, usdSum } from '../platform/money.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'
import { type AllowanceUsage, isAllowance, readAllowanceUsage } from './allowance.ts'
import type { SpendJobKind } from './reservations.ts'
import { findSpendAccount } from './spend-account.ts'
import { capOf, readSpendMonth, type SpendCap } from './spend-month.ts'

const kindColumns = columns({
  kind: column.text<SpendJobKind>('sums.kind'),
  /** Number of ledger rows. */
  entries: column.int4('sums.entries::int'),
  recordedUsd: column.text<Usd>('sums.recorded::numeric(14, 4)::text'),
  /** Reserved by jobs in progress; 0 for every month but the current one. */
  reservedUsd: column.text<Usd>('sums.reserved::numeric(14, 4)::text'),
  /** Number of jobs that have a reservation. */
  underWay: column.int4('sums.under_way::int'),
})

export type SpendOfKind = RowOf<typeof kindColumns>

/**
 * Read in one statement, for the reason given in `spend-month.ts`. The ledger records the cost of endpoints by session.
 */
const spendByKind = statement({
  name: 'spend-by-kind',
  exact: 'aggregate',
  columns: kindColumns,
  params: { accountId: param.text(), startsAt: param.timestamptz(), endsAt: param.timestamptz() },
  text: `select ${kindColumns.sql} from (
      select kind, count(*) filter (where not is_reserved) as entries, count(*) filter (where is_reserved) as under_way,
        coalesce(sum(amount) filter (where not is_reserved), 0) as recorded,
          coalesce(sum(amount) filter (where is_reserved), 0) as reserved
      from (select case l.job_kind when 'endpoint_session' then 'endpoint' else l.job_kind end as kind,
        l.amount_usd as amount, false as is_reserved
          from ledger l where l.account_id = :accountId and l.at >= :startsAt::timestamptz
            and l.at < :endsAt::timestamptz
        union all select r.job_kind, r.amount_usd, true from spend_reservations r
          where r.account_id = :accountId and now() >= :startsAt::timestamptz and now() < :endsAt::timestamptz) rows
      group by kind) sums
    order by sums.kind`,
})

export interface SpendSummary {
  readonly account: AccountRef
  /** `2026-11`. */
  readonly month: string
  readonly startsAt: string
  readonly endsAt: string
  readonly recordedUsd: Usd
  readonly reservedUsd: Usd
  /** Only kinds with a row. */
  readonly kinds: readonly SpendOfKind[]
  /** The current cap, also in the summary of an earlier month. */
  readonly cap: SpendCap | null
  /**
   * Time at which the current month first passed a cap that only notifies; null if it has not, and for another month.
   */
  readonly capPassedAt: string | null
  readonly allowanceLimitUsd: Usd | null
  /** The use in the current month; null for another month, and without an allowance. */
  readonly allowance: AllowanceUsage | null
}

export interface SpendQuery {
  /** Handle; absent: the credential's own account. */
  readonly account?: string | null
  /** `YYYY-MM`; absent: the current one. */
  readonly month?: string | null
}

/** The summary of one month. At most five statements. Errors: as `findSpendAccount`. */
export async function spendSummary(ctx: RequestContext, query: SpendQuery): Promise<SpendSummary> {
  return summaryOf(ctx, await findSpendAccount(ctx, query.account ?? null), query.month ?? null)
}

/** The summary of an account that the caller may see. */
export async function summaryOf(ctx: RequestContext, account: AccountRef, month: string | null): Promise<SpendSummary> {
  const { db, config } = ctx.deps
  const now = await readSpendMonth(db, account.id)
  const { startsAt, endsAt } = month === null ? now : boundsOf(month)
  const isCurrent = startsAt === now.startsAt
  const kinds = await db.query(spendByKind, { accountId: account.id, startsAt, endsAt })
  const limitUsd = config.hosted.allowanceUsd
  const hasAllowance = isAllowance(limitUsd)
  return {
    account,
    month: startsAt.slice(0, 7),
    startsAt,
    endsAt,
    recordedUsd: usdSum(usd(0), ...kinds.map(({ recordedUsd }) => recordedUsd)),
    reservedUsd: usdSum(usd(0), ...kinds.map(({ reservedUsd }) => reservedUsd)),
    kinds,
    cap: capOf(now),
    capPassedAt: isCurrent ? now.passedAt : null,
    allowanceLimitUsd: hasAllowance ? limitUsd : null,
    allowance: hasAllowance && isCurrent ? await readAllowanceUsage(db, account.id, limitUsd) : null,
  }
}

function boundsOf(month: string): { readonly startsAt: string; readonly endsAt: string } {
  const [year = 0, number = 0] = month.split('-').map(Number)
  const at = (months: number) => new Date(Date.UTC(year, months)).toISOString()
  return { startsAt: at(number - 1), endsAt: at(number) }
}
