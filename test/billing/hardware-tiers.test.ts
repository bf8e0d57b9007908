import { describe, expect, it } from 'vitest'
import { contractHub, type Json, newName } from '../support/hub.ts'

const hub = contractHub({ HOSTED_OWNERS: 'boss' })

describe('the hardware tiers', () => {
  it('are public, with the owners that the deployment hosts', async () => {
    const { status, json } = await hub.call(null, 'GET', '/v1/hardware_tiers')
    expect(status).toBe(200)
    expect(json.items.map((item: Json) => [item.tier, item.rate_usd_per_hour])).toEqual([
      ['l4', 0.7992],
      ['a10g', 1.1016],
      ['l40s', 1.9512],
      ['a100', 2.4984],
      ['h100', 3.9492],
    ])
    expect(json.hosting).toEqual({
      allowance: { limit_usd: 5, cpu_only: true, work: ['robot_check'], viewer: null },
      configured: false,
      everyone: false,
      owners: ['boss'],
    })
  })

  it("include the rest of the caller's allowance this month", async () => {
    const bob = await hub.person()
    const spend = (amount: number, at: string, kind = 'robot_check') =>
      hub.sql(
        `insert into ledger (id, account_id, job_kind, job_id, attempt, kind, seconds, amount_usd, at)
          values ($1, $2, $3, $1, 1, 'cpu', 60, $4, ${at})`,
        [newName('led'), bob.id, kind, amount],
      )
    await spend(1.25, 'now()')
    await spend(2, "date_trunc('month', now(), 'UTC') - interval '1 second'")
    await spend(3, 'now()', 'run')
    const { viewer } = (await hub.call(bob, 'GET', '/v1/hardware_tiers')).json.hosting.allowance
    expect(viewer).toMatchObject({ account: bob.handle, used_usd: 1.25, reserved_usd: 0, remaining_usd: 3.75 })
    expect(viewer.period_start).toMatch(/-01T00:00:00\.000Z$/)
    expect(new Date(viewer.resets_at).getTime()).toBeGreaterThan(Date.now())
    await spend(10, 'now()')
    const after = (await hub.call(bob, 'GET', '/v1/hardware_tiers')).json.hosting.allowance.viewer
    expect([after.used_usd, after.remaining_usd]).toEqual([11.25, 0])
  })
})
