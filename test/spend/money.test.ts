// @module-tag sampled
/**
 * The money of several accounts, whatever happens in whatever order: hosted runs, checks and endpoints of people and agents, holds and their decisions, caps that change,
 * and transactions that die in the middle. Contract, "Money that is reserved", "Spend holds" and "Endpoint cost".
 */

import { randomFrom } from '@hub/testing/random'
import { itInTorture, sampled, sampleSize } from '@hub/testing/torture'
import { beforeAll, describe, expect, it } from 'vitest'
import { setSpendCap } from '../../src/billing/set-spend-cap.ts'
import { spendSummary } from '../../src/billing/spend-summary.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import { HubError } from '../../src/platform/errors.ts'
import { createRun } from '../../src/runs/create/create-run.ts'
import { approveHold } from '../../src/spend/approve-hold.ts'
import { testDb } from '../support/database.ts'
import { makeWorld, type World } from '../support/world.ts'
import { assertSound, booksOf } from './support/money-books.ts'
import { agentOf, config, dying, Killed, newOwner, type Owner } from './support/money-owner.ts'
import { frequent, steps } from './support/money-steps.ts'

const ROUNDS = sampleSize(120, 80)
const t = testDb({ poolMax: 12 })
let world: World
let bosses: Owner[]

beforeAll(async () => {
  const { hosted, dailyRobotChecks, runs } = config
  world = await makeWorld({ db: t.db, config: { hosted, dailyRobotChecks, runs } })
  bosses = [await newOwner(world, 'boss-one'), await newOwner(world, 'boss-two')]
  return () => world.close()
})

/** Whoever comes late is refused; anything else is a fault. */
const refusedOnly = (error: unknown) => {
  if (error instanceof Killed || (error instanceof HubError && error.status < 500)) return
  throw error
}

describe('money', () => {
  let billed = 0

  it.each(sampled([1, 2, 3, 4, 5, 6], 6))(
    'stays whole, whatever happens in whatever order (sequence %i)',
    async (seed) => {
      const random = randomFrom(seed)
      const owners = [...bosses, await newOwner(world)]
      const made = new Set<string>()
      for (let round = 0; round < ROUNDS; round += 1) {
        const capped = random.chance(0.1)
        const together = Array.from({ length: random.int(1, 5) }, async () => {
          const own = random.fork()
          const owner = own.pick(owners)
          const name = own.pick([...frequent, ...Object.keys(steps).filter((step) => step !== 'cap')])
          const fuse = own.int(0, 12)
          const isKilled = own.chance(0.15)
          made.add(name)
          const as = (ctx: RequestContext) => (isKilled ? dying(ctx, fuse) : ctx)
          await steps[name]?.({ world, owner, random: own, as }).catch(refusedOnly)
        })
        const cap = capped ? steps.cap?.({ world, owner: random.pick(owners), random, as: (ctx) => ctx }) : undefined
        await Promise.all([...together, cap])
        for (const owner of owners) await assertSound(world, owner)
      }
      expect(made.size).toBeGreaterThan(6)
      const books = await Promise.all(owners.map((owner) => booksOf(world, owner)))
      expect(books.reduce((sum, { jobs }) => sum + jobs, 0)).toBeGreaterThan(5)
      billed += books.reduce((sum, { billedEndpoints }) => sum + billedEndpoints, 0)
    },
  )

  itInTorture('was billed to endpoints in those sequences', async () => expect(billed).toBeGreaterThan(10))

  it('is never overspent by one: of a hundred approvals and creates at once, as many are accepted as fit under the cap', async () => {
    const [owner] = bosses as [Owner]
    const recipe = { template: 'act', executor: 'hosted', gpu: 'l4', max_hours: 1, budget_usd: 0.4 } as const
    const many = sampleSize(50, 12)
    await setSpendCap(world.as(owner.account), { usd: null, mode: null })
    const holds = await Promise.all(Array.from({ length: many }, () => createRun(agentOf(world, owner), { recipe })))
    const { recordedUsd, reservedUsd } = await spendSummary(world.as(owner.account), {})
    await setSpendCap(world.as(owner.account), { usd: Number(recordedUsd) + Number(reservedUsd) + 2.3, mode: 'stop' })
    owner.ceiling = Number(recordedUsd) + Number(reservedUsd) + 2.3
    const asked = holds.flatMap(({ id }) => [
      approveHold(world.as(owner.account), { holdId: id }),
      createRun(world.as(owner.account), { recipe }),
    ])
    const ended = await Promise.allSettled(asked)
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    const refusals = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason.type] : []))
    expect(new Set(refusals)).toEqual(new Set(['quota.spend_cap']))
    await assertSound(world, owner)
  })
})
