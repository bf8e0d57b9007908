// @module-tag sampled
/** What jobs in progress reserve, and the spend cap of an account. Contract, "Money that is reserved". */

import { newId } from '@hub/formats/ids'
import { describeOnce, itOnce, sampleSize } from '@hub/testing/torture'
import { beforeAll, describe, expect, it } from 'vitest'
import { lockAccounts } from '../../src/accounts/lock-accounts.ts'
import {
  readRestOfMonth,
  releaseSpend,
  renewSpend,
  reserveSpend,
  tryReserveSpend,
} from '../../src/billing/reservations.ts'
import { monthUsd, readSpendMonth } from '../../src/billing/spend-month.ts'
import { noViewer } from '../../src/operation/audit.ts'
import type { AccountRef } from '../../src/operation/context.ts'
import { HubError } from '../../src/platform/errors.ts'
import { testDb } from '../support/database.ts'
import { shownNumbers } from '../support/shown-numbers.ts'
import { makeWorld, type World } from '../support/world.ts'

const t = testDb({ poolMax: 12 })
let world: World
beforeAll(async () => {
  world = await makeWorld({ db: t.db })
  return () => world.close()
})

const capped = async (mode: 'STOP' | 'NOTIFY', usd: number) => {
  const account = await world.user()
  await world.sql(`update accounts set spend_cap_mode = $2::"SpendCapMode", spend_cap_usd = $3 where id = $1`, [
    account.id,
    mode,
    usd,
  ])
  return account
}
const request = ({ id }: AccountRef, amountUsd: string, jobId = newId('run')) => ({
  jobId,
  jobKind: 'run' as const,
  accountId: id,
  amountUsd,
  isAllowance: false,
  coversTo: null,
})
const reserve = (account: AccountRef, amountUsd: string, jobId = newId('run')) =>
  t.db.withTx(async (tx) => {
    await lockAccounts(tx, [account.id])
    return tryReserveSpend(tx, noViewer, request(account, amountUsd, jobId))
  })
const record = (account: AccountRef, usd: number, at = 'now()') =>
  world.sql(
    `insert into ledger (id, account_id, job_kind, job_id, attempt, kind, seconds, amount_usd, at) values ($1, $2, 'run', $1, 1, 'gpu', 60, $3, ${at})`,
    [newId('led'), account.id, usd],
  )
const month = async ({ id }: AccountRef) => {
  const { recordedUsd, reservedUsd } = await readSpendMonth(t.db, id)
  return [recordedUsd, reservedUsd]
}
const notices = ({ id }: AccountRef) =>
  world.sql<{ after: unknown }>(`select after from audit_log where account_id = $1 and action = 'spend.cap_passed'`, [
    id,
  ])

describeOnce('the month of an account', () => {
  it('is what its ledger has of the month and what its jobs under way reserve, and nothing of the last month', async () => {
    const account = await world.user()
    await record(account, 7, `date_trunc('month', now(), 'UTC') - interval '1 second'`)
    await record(account, 1.25)
    const jobId = newId('run')
    expect(await reserve(account, '2.5000', jobId)).toBeNull()
    expect(await month(account)).toEqual(['1.2500', '2.5000'])
    expect(monthUsd(await readSpendMonth(t.db, account.id))).toBe('3.7500')
    for (const _twice of [1, 2]) await t.db.withTx((tx) => releaseSpend(tx, jobId))
    expect(await month(account)).toEqual(['1.2500', '0.0000'])
  })
})

describe('a cap in STOP mode', () => {
  itOnce(
    'lets the month come up to it and not a ten-thousandth past; nothing is reserved, and the error names the sums',
    async () => {
      const account = await capped('STOP', 5)
      await record(account, 1)
      expect(await reserve(account, '3.9999')).toBeNull()
      const refusal = await reserve(account, '0.0002')
      expect([refusal?.type, refusal?.status]).toEqual(['quota.spend_cap', 429])
      expect(refusal?.message).toContain('1.0000 USD recorded and 3.9999 USD that work in progress can still cost')
      const { secondsLeft } = await readSpendMonth(t.db, account.id)
      const { headers, members } = shownNumbers(refusal)
      expect(Number(headers['Retry-After'])).toBe(members.retry_after_s)
      expect(members.retry_after_s).toBeGreaterThanOrEqual(Math.floor(secondsLeft))
      expect(members.retry_after_s).toBeLessThanOrEqual(secondsLeft + 30)
      expect(members).toMatchObject({ unit: 'usd', limit: 5, used: 4.9999, left: 0.0001 })
      expect(await month(account)).toEqual(['1.0000', '3.9999'])
      expect(await reserve(account, '0.0001')).toBeNull()
      expect(await notices(account)).toEqual([])
    },
  )

  itOnce('is thrown where a new job reserves', async () => {
    const account = await capped('STOP', 0.0001)
    const attempt = t.db.withTx((tx) => reserveSpend(tx, noViewer, request(account, '0.0002')))
    await expect(attempt).rejects.toBeInstanceOf(HubError)
    await t.db.withTx((tx) => reserveSpend(tx, noViewer, request(account, '0.0000')))
  })

  itOnce('of 0 refuses also a job that reserves 0; in NOTIFY mode such a job passes nothing', async () => {
    const account = await capped('STOP', 0)
    expect((await reserve(account, '0.0000'))?.type).toBe('quota.spend_cap')
    expect(await month(account)).toEqual(['0.0000', '0.0000'])
    const notified = await capped('NOTIFY', 0)
    expect(await reserve(notified, '0.0000')).toBeNull()
    expect(await notices(notified)).toEqual([])
  })

  it('is not passed by many at once', async () => {
    const account = await capped('STOP', 1)
    const refused = await Promise.all(Array.from({ length: sampleSize(100, 20) }, () => reserve(account, '0.3000')))
    expect(refused.filter((refusal) => refusal === null)).toHaveLength(3)
    expect(await month(account)).toEqual(['0.0000', '0.9000'])
  })

  itOnce('renews the reservation of a job without counting it twice, or refuses and leaves it as it is', async () => {
    const account = await capped('STOP', 5)
    const { endsAt, seconds } = await readRestOfMonth(t.db)
    expect([seconds > 0, Date.parse(endsAt) > Date.now()]).toEqual([true, true])
    const first = { ...request(account, '4.0000', newId('ep')), jobKind: 'endpoint' as const, coversTo: endsAt }
    await t.db.withTx((tx) => reserveSpend(tx, noViewer, first))
    const renew = (amountUsd: string) =>
      t.db.withTx((tx) => renewSpend(tx, noViewer, { ...first, amountUsd, coversTo: '2100-01-01T00:00:00.000Z' }))
    expect((await renew('5.0001'))?.type).toBe('quota.spend_cap')
    const row = () =>
      world.sql(`select amount_usd::text as usd, covers_to as until from spend_reservations where job_id = $1`, [
        first.jobId,
      ])
    expect(await row()).toEqual([{ usd: '4.0000', until: endsAt }])
    expect(await renew('5.0000')).toBeNull()
    expect(await row()).toEqual([{ usd: '5.0000', until: '2100-01-01T00:00:00.000Z' }])
  })
})

describeOnce('a cap in NOTIFY mode', () => {
  it('never refuses, and records once a month that it was passed', async () => {
    const account = await capped('NOTIFY', 5)
    expect(await reserve(account, '5.0000')).toBeNull()
    expect(await notices(account)).toEqual([])
    expect((await readSpendMonth(t.db, account.id)).passedAt).toBeNull()
    for (const amount of ['1.0000', '7.0000']) expect(await reserve(account, amount)).toBeNull()
    expect(await notices(account)).toMatchObject([{ after: { limitUsd: '5.0000', monthUsd: '6.0000' } }])
    expect((await readSpendMonth(t.db, account.id)).passedAt).not.toBeNull()
    await world.sql(`alter table audit_log disable trigger user`)
    await world.sql(`update audit_log set at = at - interval '32 days' where target_id = $1`, [account.id])
    await world.sql(`alter table audit_log enable trigger user`)
    await reserve(account, '1.0000')
    expect(await notices(account)).toHaveLength(2)
  })
})
