/** Who waits for work claims none once the right to it is lost. Contract, "Claims and leases". */
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { contractHub, type Person, type Who } from '../support/hub.ts'
import { newTeam } from '../support/team.ts'

const hub = contractHub()
let boss: Person

beforeAll(async () => {
  boss = await hub.person()
})

/** A claim-next that waits for work by now. */
async function waiting(who: Who) {
  const watch = vi.spyOn(hub.running.deps.events, 'watch')
  const answer = hub.call(who, 'POST', '/v1/runs/claim-next', { worker: 'box', wait_s: 20 })
  await expect.poll(() => watch.mock.calls.length, { timeout: 20_000 }).toBe(1)
  watch.mockRestore()
  return { answer }
}

const submitted = async (who: Who, owner: string): Promise<string> =>
  (await hub.call(who, 'POST', '/v1/runs', { owner, recipe: { template: 'act', executor: 'worker' } })).json.id
const statusOf = async (who: Who, run: string) => (await hub.call(who, 'GET', `/v1/runs/${run}`)).json.status

describe('a claim-next that waits', () => {
  it('claims nothing of an org that its caller has been removed from meanwhile', async () => {
    const { org, key } = await newTeam(hub, boss)
    const { answer } = await waiting(key)
    await hub.sql(
      `delete from memberships m using api_keys k where k.token_sha256 = sha256($1::bytea) and m.user_id = k.account_id`,
      [key],
    )
    const run = await submitted(boss, org)
    expect((await answer).status).toBe(204)
    expect(await statusOf(boss, run)).toBe('queued')
  })

  it('claims nothing for a key that was revoked meanwhile', async () => {
    const person = await hub.person()
    const key = await hub.key(person, { scope: 'train' })
    const { answer } = await waiting(key)
    await hub.sql('update api_keys set revoked_at = now() where token_sha256 = sha256($1::bytea)', [key])
    const run = await submitted(person, person.handle)
    expect((await answer).status).toBe(204)
    expect(await statusOf(person, run)).toBe('queued')
  })

  it('claims for a key whose rights are as they were', async () => {
    const person = await hub.person()
    const { answer } = await waiting(await hub.key(person, { scope: 'train' }))
    const run = await submitted(person, person.handle)
    expect((await answer).json.id).toBe(run)
  })
})
