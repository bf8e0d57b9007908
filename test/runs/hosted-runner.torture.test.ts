/** `hub runner` as HOSTED_COMMAND: it claims the run that it was started for, with the key of its call. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { contractHub } from '../support/hub.ts'
import { reachingCheckout } from '../support/open-folder.ts'

const command = join(import.meta.dirname, '../../src/operator/hub.ts')
const hub = contractHub({
  ...reachingCheckout,
  HOSTED_APP_NAME: 'app',
  HOSTED_OWNERS: '*',
  HOSTED_COMMAND: `exec "${process.execPath}" "${command}" runner --once --work-dir work --command true`,
})

it('executes the hosted run that an agent asked for and a person approved, within what was shown', async () => {
  const ada = await hub.person()
  const agent = await hub.key(ada, { scope: 'train', agent: true })
  const recipe = { template: 'act', executor: 'hosted', gpu: 'l4', max_hours: 1 }
  const held = await hub.call(agent, 'POST', '/v1/runs', { recipe })
  expect([held.status, held.json.reserve_usd]).toEqual([202, 0.7992])
  const approved = await hub.call(ada, 'POST', `/v1/spend/holds/${held.json.id}/approve`)
  expect(approved.status).toBe(200)
  const run = async () => (await hub.call(ada, 'GET', `/v1/runs/${approved.json.result_id}`)).json
  await expect.poll(async () => (await run()).status, { timeout: 100_000 }).toBe('succeeded')
  const { cost_usd: cost } = await run()
  expect(cost).toBeLessThanOrEqual(held.json.reserve_usd)
  const [entry] = await hub.sql<{ usd: number }>('select amount_usd::float8 as usd from ledger where job_id = $1', [
    approved.json.result_id,
  ])
  expect(entry?.usd).toBe(cost)
})
