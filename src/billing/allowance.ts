/**
 * Free hosted work of an account per calendar month: CPU work only. Spec, "HardwareTier";
 * contract, "Money that is reserved".
 */
import type { RequestContext } from '../operation/context.ts'
import { type Usd, usd, usdLess, usdSum } from '../platform/money.ts'
import { column, columns } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import type { BilledKind } from './ledger.ts'

/** An account's use of the allowance in the current month. */
export interface AllowanceUsage {
  readonly usedUsd: Usd
  /** The most that jobs in progress may still use. */
  readonly reservedUsd: Usd
  /** Never negative. */
  readonly remainingUsd: Usd
  readonly periodStart: string
  readonly resetsAt: string
}

export interface HostedAllowanceUsage extends AllowanceUsage {
  /** Handle of the account. */
  readonly account: string
}

export interface HostedAllowance {
  readonly limitUsd: Usd
  readonly cpuOnly: boolean
  /** Kinds of jobs that it covers. */
  readonly work: readonly BilledKind[]
  /** The caller's own use; null for an anonymous caller. */
  readonly viewer: HostedAllowanceUsage | null
}

const CPU_WORK: readonly BilledKind[] = ['robot_check']

const usageColumns = columns({
  used: column.text<Usd>('used.usd::text'),
  reserved: column.text<Usd>('reserved.usd::text'),
  periodStart: column.timestamptz('month.start'),
  resetsAt: column.timestamptz(`month.start + interval '1 month'`),
})

/**
 * The use in the current month, by the database's clock; months begin at midnight UTC. Ledger and reservations are read
 * in one statement: a job that ends between two statements could be missing in both.
 */
const usageOfMonth = statement({
  name: 'hosted-allowance-usage',
  exact: 'aggregate',
  columns: usageColumns,
  params: { accountId: param.text(), work: param.texts() },
  text: `select ${usageColumns.sql} from (select date_trunc('month', now(), 'UTC') as start) month
    cross join lateral (select coalesce(sum(l.amount_usd), 0) as usd from ledger l
      where l.account_id = :accountId and l.job_kind = any(:work::text[]) and l.at >= month.start) used
    cross join lateral (select coalesce(sum(r.amount_usd), 0) as usd from spend_reservations r
      where r.account_id = :accountId and r.allowance) reserved`,
})

/**
 * The allowance of this deployment and the caller's remaining share; null if there is none. One statement for a caller
 * with a credential, else none.
 */
export async function readAllowance({ viewer, deps }: RequestContext): Promise<HostedAllowance | null> {
  const limitUsd = deps.config.hosted.allowanceUsd
  if (!isAllowance(limitUsd)) return null
  const allowance = { limitUsd, cpuOnly: true, work: CPU_WORK }
  if (viewer.kind === 'anonymous') return { ...allowance, viewer: null }
  const usage = await readAllowanceUsage(deps.db, viewer.account.id, limitUsd)
  return { ...allowance, viewer: { account: viewer.account.handle, ...usage } }
}

/** Whether the configured limit allows any free work. */
export const isAllowance = (limitUsd: Usd): boolean => Number(limitUsd) > 0

/** An account's use of the allowance. A transaction that reserves a share of it must have locked the account. */
export async function readAllowanceUsage(querier: Querier, accountId: string, limitUsd: Usd): Promise<AllowanceUsage> {
  const [row] = await querier.query(usageOfMonth, { accountId, work: CPU_WORK })
  if (!row) throw new Error('A sum has one row.')
  const { periodStart, resetsAt } = row
  const [usedUsd, reservedUsd] = [usd(row.used), usd(row.reserved)]
  const spoken = usdLess(usdSum(usedUsd, reservedUsd), limitUsd)
  return { usedUsd, reservedUsd, remainingUsd: usdSum(limitUsd, `-${spoken}`), periodStart, resetsAt }
}

/** Whether a job that can cost `amountUsd` fits into the remaining allowance. */
export const fitsAllowance = ({ remainingUsd }: AllowanceUsage, amountUsd: Usd): boolean =>
  usdLess(amountUsd, remainingUsd) === amountUsd
