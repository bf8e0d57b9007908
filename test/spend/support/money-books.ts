/** The books of an owner: what is reserved, recorded and held, against what jobs cost. */
import { expect } from 'vitest'
import { spendSummary } from '../../../src/billing/spend-summary.ts'
import type { World } from '../../support/world.ts'
import { ALLOWANCE_USD, type Owner } from './money-owner.ts'

interface Books {
  readonly jobs: number
  readonly ledgerIsCosts: boolean
  readonly ended: number
  readonly openWithoutReservation: number
  readonly reservedWithoutJob: number
  readonly aboveReserve: number
  readonly aboveHold: number
  /** Runs and endpoints that an agent asked for, and those of approved holds. */
  readonly agentJobs: number
  readonly approvedJobs: number
  /** Endpoints that have more GPU time than the hub counts since their claim, or another sum than their sessions. */
  readonly overtime: number
  /** Endpoints that cost something. */
  readonly billedEndpoints: number
  readonly resultsWithoutJob: number
}

/** As reservations are rounded. */
const upSql = (usd: string) => `ceil(${usd} * 10000) / 10000`

/** Compared in the database, in exact decimals. */
export async function booksOf(world: World, { account, agentId }: Owner): Promise<Books> {
  const [books] = await world.sql<Books>(
    `with jobs as (
        select id, 'run' as kind, status::text, executor::text, priced, cost_usd, filed_by,
          least(${upSql('rate_usd_per_hour * max_hours')}, coalesce(budget_usd, 1000000)) as most from runs where owner_id = $1
        union all select id, 'robot_check', status::text, executor::text, priced, cost_usd, filed_by,
          ${upSql('rate_usd_per_hour * max_seconds / 3600')} from robot_checks where owner_id = $1
        union all select id, 'endpoint', status::text, executor::text, priced, cost_usd, filed_by,
          least(${upSql('rate_usd_per_hour * max_hours')}, budget_usd) from endpoints where owner_id = $1),
      open as (select * from jobs where priced and status in ('queued', 'running')),
      reserved as (select * from spend_reservations where account_id = $1),
      holds as (select h.*, j.cost_usd, j.most, j.id as job from spend_holds h left join jobs j on j.id = h.result_id where h.account_id = $1)
    select (select count(*)::int from jobs) as jobs,
      (select coalesce(sum(cost_usd), 0) from jobs) = (select coalesce(sum(amount_usd), 0) from ledger where account_id = $1) as "ledgerIsCosts",
      (select count(*)::int from jobs where priced and status not in ('queued', 'running') and cost_usd is null) as ended,
      (select count(*)::int from open o left join reserved r on r.job_id = o.id and r.amount_usd = coalesce(o.most, r.amount_usd) where r.job_id is null) as "openWithoutReservation",
      (select count(*)::int from reserved r left join open o on o.id = r.job_id where o.id is null) as "reservedWithoutJob",
      -- An endpoint without a limit has none: it reserves a month after the other.
      (select count(*)::int from jobs where cost_usd > coalesce(most, case when kind = 'endpoint' then cost_usd else 0 end)) as "aboveReserve",
      (select count(*)::int from holds where cost_usd > reserve_usd or most > reserve_usd) as "aboveHold",
      (select count(*)::int from jobs where kind <> 'robot_check' and executor = 'hosted' and filed_by = $2) as "agentJobs",
      (select count(*)::int from holds where status = 'approved' and kind <> 'robot_check') as "approvedJobs",
      (select count(*)::int from endpoints e where owner_id = $1 and (gpu_seconds > extract(epoch from coalesce(finished_at, now()) - claimed_at) + 0.001
        or gpu_seconds <> (select coalesce(sum(s.gpu_seconds), 0) from endpoint_sessions s where s.endpoint_id = e.id))) as overtime,
      (select count(*)::int from endpoints where owner_id = $1 and cost_usd > 0) as "billedEndpoints",
      (select count(*)::int from holds where (status = 'approved') <> (job is not null)) as "resultsWithoutJob"`,
    [account.id, agentId],
  )
  if (!books) throw new Error('Sums have one row.')
  return books
}

export async function assertSound(world: World, owner: Owner): Promise<void> {
  const { jobs: _jobs, billedEndpoints: _billed, agentJobs, approvedJobs, ...books } = await booksOf(world, owner)
  expect(books).toEqual({
    ledgerIsCosts: true,
    ended: 0,
    openWithoutReservation: 0,
    reservedWithoutJob: 0,
    aboveReserve: 0,
    aboveHold: 0,
    resultsWithoutJob: 0,
    overtime: 0,
  })
  // An agent's hosted run or endpoint is there if and only if a person approved its hold.
  expect(agentJobs).toBe(approvedJobs)
  const { recordedUsd, reservedUsd, allowance } = await spendSummary(world.as(owner.account), {})
  expect(Number(recordedUsd) + Number(reservedUsd)).toBeLessThanOrEqual(owner.ceiling + 1e-9)
  expect(Number(allowance?.remainingUsd)).toBeGreaterThanOrEqual(0)
  if (!owner.isListed)
    expect(Number(allowance?.usedUsd) + Number(allowance?.reservedUsd)).toBeLessThanOrEqual(ALLOWANCE_USD + 1e-9)
}
