/** listHardwareTiers (spec, "GET /v1/hardware_tiers"): the tiers and their rates, and whom the deployment hosts. */
import type { RequestContext } from '../operation/context.ts'
import { type Usd, usd, usdLess, usdSum } from '../platform/money.ts'
import type { TierTable } from '../platform/tier-table.ts'
import type { Statement } from '../store/db.ts'

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
  /** Kinds of job that it may be spent on. */
  readonly work: readonly string[]
  /** Null for an anonymous caller. */
  readonly viewer: HostedAllowanceUsage | null
}

export interface HostedExecution {
  readonly allowance: HostedAllowance | null
  readonly configured: boolean
  readonly everyone: boolean
  readonly owners: readonly string[]
}

export interface HardwareTierList {
  readonly items: TierTable
  readonly hosting: HostedExecution
}

const CPU_WORK = ['robot_check'] as const

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

/** Public. One statement for a caller with a credential, none for an anonymous caller. */
export async function listHardwareTiers(ctx: RequestContext): Promise<HardwareTierList> {
  const { tiers, hosted } = ctx.deps.config
  const everyone = hosted.owners === 'everyone'
  return {
    items: tiers,
    hosting: {
      allowance: Number(hosted.allowanceUsd) > 0 ? await allowanceOf(ctx, hosted.allowanceUsd) : null,
      configured: hosted.appName !== null,
      everyone,
      owners: hosted.owners === 'everyone' ? [] : hosted.owners,
    },
  }
}

async function allowanceOf(ctx: RequestContext, limitUsd: Usd): Promise<HostedAllowance> {
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
    // No job that would draw on it is waiting or running: the ledger is all there is.
    reservedUsd: usd(0),
    remainingUsd: usdSum(limitUsd, `-${usdLess(usedUsd, limitUsd)}`),
    periodStart: row.periodStart,
    resetsAt: row.resetsAt,
  }
}
