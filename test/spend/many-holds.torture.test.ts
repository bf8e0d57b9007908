/** Listings and sums of money among many rows: each finds its rows by index. */
import { beforeAll, describe, expect, it } from 'vitest'
import { expireHolds } from '../../src/billing/holds/expire-holds.ts'
import { listHolds } from '../../src/billing/holds/list-holds.ts'
import { spendSummary } from '../../src/billing/spend-summary.ts'
import type { AccountRef, RequestContext } from '../../src/operation/context.ts'
import { testDb } from '../support/database.ts'
import { passedOver, plansOf, scansOf } from '../support/plans.ts'
import { makeWorld, type World } from '../support/world.ts'

const t = testDb()
let world: World
let owner: AccountRef
let org: AccountRef
let ctx: RequestContext

/** One in a hundred is the owner's, one the org's, the rest other accounts'; one in a hundred was filed by a key of the owner, on a stranger's account. */
beforeAll(async () => {
  world = await makeWorld({ db: t.db })
  owner = await world.user()
  org = await world.org([owner])
  const strangers = await Promise.all(Array.from({ length: 98 }, () => world.user()))
  const accounts = [owner.id, org.id, ...strangers.map(({ id }) => id)]
  ctx = world.as(owner, { accountIds: [owner.id, org.id] })
  await world.sql(
    `insert into spend_holds (id, status, kind, account_id, filed_by, filed_by_name, created_by, request, summary, estimate_usd, reserve_usd, allowance_usd,
        expires_at, decided_at)
      select 'spend_' || lpad(n::text, 26, '0'), case when n % 500 < 10 then 'pending' else 'denied' end::"SpendHoldStatus", 'run', ($1::text[])[1 + n % 100],
        'key_' || n % 300, 'x', case when n % 100 = 7 then $2 end, '{}', 'x', 1, 1, 0, now() + interval '1 day', case when n % 500 >= 10 then now() end
      from generate_series(1, 20000) n`,
    [accounts, owner.id],
  )
  await world.sql(
    `insert into ledger (id, account_id, job_kind, job_id, attempt, kind, seconds, amount_usd, at)
      select 'led_' || n, ($1::text[])[1 + n % 100], 'run', 'run_' || n, 1, 'gpu', 1, 1, now() - make_interval(days => n / 100) from generate_series(1, 20000) n`,
    [accounts],
  )
  await world.sql('checkpoint')
  await world.sql('vacuum analyze spend_holds')
  await world.sql('vacuum analyze ledger')
  return () => world.close()
})

const asked = async (mark: RegExp, ask: () => Promise<unknown>) => {
  const sent = t.record()
  await ask()
  const text = sent.find((each) => mark.test(each))
  if (text === undefined) throw new Error('The statement was not sent.')
  return text
}

describe('among 20,000 holds and 20,000 entries', () => {
  it.each([null, `spend_${'0'.repeat(21)}10000`])('a page of holds after %s reads few for nothing', async (after) => {
    const text = await asked(/from \(select id from \(\s*\(select mine/, () => listHolds(ctx, {}))
    const values = [[owner.id, org.id], owner.id, 'key_1', null, after, 21]
    for (const plan of await plansOf(t.db, text, values)) {
      expect(scansOf(plan, 'spend_holds')).toEqual([])
      expect(passedOver(plan, 'spend_holds')).toBeLessThan(100)
    }
  })

  it('what has expired is found by its index', async () => {
    const text = await asked(/expires_at <= now\(\) limit 1/, () => expireHolds(world.deps))
    for (const plan of await plansOf(t.db, text, [])) expect(scansOf(plan, 'spend_holds')).toEqual([])
  })

  it('the month of an account is summed from its rows of the month', async () => {
    const text = await asked(/as "passedAt"/, () => spendSummary(ctx, {}))
    for (const plan of await plansOf(t.db, text, [[owner.id], null])) {
      expect(scansOf(plan, 'ledger')).toEqual([])
      expect(passedOver(plan, 'ledger')).toBeLessThan(100)
    }
  })
})
