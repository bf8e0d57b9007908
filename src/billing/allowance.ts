/** Free hosted work of an account per calendar month: CPU work only. Spec, "HardwareTier"; contract, "Money, tiers, limits". */
import type { RequestContext } from '../operation/context.ts'
import { type Usd, usd, usdLess, usdSum } from '../platform/money.ts'
import type { Statement } from '../store/db.ts'
import type { BilledKind } from './ledger.ts'

export interface HostedAllowanceUsage {
  /** Handle. */
  readonly account: string
  readonly usedUsd: Usd
  readonly reservedUsd: Usd
  readonly remainingUsd: Usd
  readonly periodStart: string
  readonly resetsAt: string
}

export interface HostedAllowance {
  readonly limitUsd: Usd
  readonly cpuOnly: boolean
  /** Kinds of jobs that it covers. */
  readonly work: readonly BilledKind[]
  /** Null for an anonymous caller. */
  readonly viewer: HostedAllowanceUsage | null
}

const CPU_WORK: readonly BilledKind[] = ['robot_check']

interface UsageRow {
  readonly used: Usd
  readonly periodStart: string
  readonly resetsAt: string
}

/** By the database's clock; months begin at midnight UTC. */
const usageOfMonth: Statement<UsageRow> = {
  name: 'hosted-allowance-usage',
  text: `select coalesce(sum(l.amount_usd), 0)::text as used, m.start as "periodStart", m.start + interval '1 month' as "resetsAt"
    from (select date_trunc('month', now(), 'UTC') as start) m
    left join ledger l on l.account_id = $1 and l.job_kind = any($2::text[]) and l.at >= m.start
    group by m.start`,
}

/** The allowance of this deployment and the caller's remaining share; null if there is none. One statement for a caller with a credential, else none. */
export async function readAllowance(ctx: RequestContext): Promise<HostedAllowance | null> {
  const limitUsd = ctx.deps.config.hosted.allowanceUsd
  if (Number(limitUsd) <= 0) return null
  return { limitUsd, cpuOnly: true, work: CPU_WORK, viewer: await usageOf(ctx, limitUsd) }
}

async function usageOf({ viewer, deps }: RequestContext, limitUsd: Usd): Promise<HostedAllowanceUsage | null> {
  if (viewer.kind === 'anonymous') return null
  const [row] = await deps.db.query(usageOfMonth, [viewer.account.id, CPU_WORK])
  if (!row) return null
  const usedUsd = usd(row.used)
  return {
    account: viewer.account.handle,
    usedUsd,
    // No queued or running job draws on the allowance, so the ledger is complete.
    reservedUsd: usd(0),
    remainingUsd: usdSum(limitUsd, `-${usdLess(usedUsd, limitUsd)}`),
    periodStart: row.periodStart,
    resetsAt: row.resetsAt,
  }
}
