// @module-tag sampled
/** No bill is above what was reserved and shown, for whatever rate, length and budget. Contract, "Money that is reserved". */

import { type Random, randomFrom } from '@hub/testing/random'
import { sampleSize } from '@hub/testing/torture'
import { describe, expect, it } from 'vitest'
import { maxCostUsd } from '../../src/checks/create/choose-executor.ts'
import { cappedUsd } from '../../src/endpoints/create/reserve-endpoint.ts'
import { billOf, ceilingUsd } from '../../src/endpoints/end/bill.ts'
import { estimateOf } from '../../src/planner/estimate.ts'
import { planRun } from '../../src/planner/run-plan.ts'
import { readConfig } from '../../src/platform/config.ts'
import { mostOfSeconds, type Usd, usd, usdLess, usdLimit } from '../../src/platform/money.ts'
import { accruedUsd, type MeterFacts } from '../../src/work/meter.ts'

const config = readConfig({})
const start = Date.UTC(2026, 0, 1)
const at = (ms: number) => new Date(start + ms).toISOString()

/** Often so low that a minute costs less than a ten-thousandth of a dollar. */
const rateFrom = (random: Random): Usd => usd(random.int(0, random.pick([9, 99, 9999, 99_999_999])) / 1e4)
const hoursFrom = (random: Random): number =>
  random.pick([1 / 60, random.int(1, 60) / 60, random.int(60, 9999) / 3600, random.int(200, 7_200_000) / 1e4])
/** At least what a minute costs. */
const budgetFrom = (random: Random, rate: Usd): number | null =>
  random.chance(0.5) ? null : random.int(1, 1e9) / 10 ** random.int(4, 8) + Number(mostOfSeconds(rate, 60)) + 0.0001

/** What a claim of so many milliseconds costs, not rounded, in ten-thousandths x milliseconds an hour. */
const exactCost = (rate: Usd, ms: number) => BigInt(rate.replace('.', '')) * BigInt(ms)
const scaled = (amount: Usd) => BigInt(amount.replace('.', '')) * 3_600_000n

interface Case {
  readonly rate: Usd
  readonly hours: number
  readonly budget: number | null
  /** How long it runs: to its deadline, which the database cuts to milliseconds, or for less. */
  readonly ranMs: number
  readonly deadlineMs: number
}

const cases: readonly Case[] = Array.from({ length: sampleSize(20_000, 2000) }, (_, seed) => {
  const random = randomFrom(seed)
  const hours = hoursFrom(random)
  const deadlineMs = Math.floor(Number(hours.toFixed(10)) * 3_600_000 + 1e-3)
  const ranMs = random.chance(0.5) ? deadlineMs : random.int(0, deadlineMs)
  const rate = rateFrom(random)
  return { rate, hours, budget: budgetFrom(random, rate), ranMs, deadlineMs }
})

const meterOf = ({ rate, deadlineMs }: Case, budgetUsd: Usd | null): MeterFacts => ({
  priced: true,
  rateUsdPerHour: rate,
  budgetUsd,
  claimedAt: at(0),
  cancelRequestedAt: null,
  deadlineAt: at(deadlineMs),
  finishedAt: null,
})

/** The cases in which an amount is less than what it should cover. */
function short(of: (one: Case) => readonly { readonly bill: Usd; readonly reserved: Usd; readonly exact: bigint }[]) {
  return cases.flatMap((one) =>
    of(one)
      .filter(({ bill, reserved, exact }) => usdLess(bill, reserved) !== bill || scaled(reserved) < exact)
      .map((found) => ({ ...one, bill: found.bill, reserved: found.reserved })),
  )
}

const capped = (exact: bigint, budget: number | null) => {
  const most = budget === null ? exact : scaled(usdLimit(budget))
  return exact < most ? exact : most
}

describe('what is reserved', () => {
  it('for a run is its estimate, and no less than the run costs to the last fraction', () => {
    expect(
      short((one) => {
        const [tier] = config.tiers
        if (!tier) throw new Error('There is a tier.')
        const tiers = [{ ...tier, rateUsdPerHour: one.rate }]
        const recipe = { template: 'act', executor: 'hosted', max_hours: one.hours, budget_usd: one.budget } as const
        const plan = planRun(recipe, { ...config, tiers })
        const bill = accruedUsd(meterOf(one, plan.budgetUsd), at(one.ranMs))
        const exact = capped(exactCost(one.rate, one.ranMs), one.budget)
        return [{ bill, reserved: estimateOf(plan).costUsdMax, exact }]
      }),
    ).toEqual([])
  })

  it('for a check is no less than the check costs', () => {
    expect(
      short((one) => {
        const checkMaxSeconds = Math.ceil(one.deadlineMs / 1000)
        const reserved = maxCostUsd({ ...config.hosted, checkRateUsdPerHour: one.rate, checkMaxSeconds })
        return [
          { bill: accruedUsd(meterOf(one, null), at(one.ranMs)), reserved, exact: exactCost(one.rate, one.ranMs) },
        ]
      }),
    ).toEqual([])
  })

  it('for an endpoint is no less than its sessions cost together', () => {
    expect(
      short((one) => {
        const budgetUsd = one.budget === null ? null : usdLimit(one.budget)
        const reserved = cappedUsd({ rateUsdPerHour: one.rate, maxHours: one.hours, budgetUsd }) ?? '0.0000'
        const ceiling = ceilingUsd({ ...meterOf(one, null), reservedUsd: reserved }, at(one.ranMs))
        const thirds = Array.from({ length: 3 }, () => (one.ranMs / 3000).toFixed(3))
        const { totalUsd } = billOf(one.rate, thirds, ceiling)
        return [{ bill: totalUsd, reserved, exact: capped(exactCost(one.rate, one.ranMs), one.budget) }]
      }),
    ).toEqual([])
  })

  it('never passes the budget that was asked for, also where that has more than four decimals', () => {
    const plan = planRun({ template: 'act', executor: 'hosted', budget_usd: 0.02999 }, config)
    expect([plan.budgetUsd, estimateOf(plan).costUsdMax]).toEqual(['0.0299', '0.0299'])
  })
})
