/** Spec, "Robot check states": a hosted check whose call cannot be started has failed, and lets its repos go in the same step. */
import { expect, it } from 'vitest'
import { contractHub } from '../support/hub.ts'

const hub = contractHub({ HOSTED_APP_NAME: 'coach', HOSTED_OWNERS: '*', SIM_HOSTED_OWNERS: '*' })

it('fails with the reason, costs nothing, and its repo can be deleted at once', async () => {
  const ada = await hub.person()
  const robot = await hub.repo(ada, { kind: 'robot' })
  await hub.upload(ada, robot, { 'arm.xml': '<mujoco/>' })
  const asked = { kind: 'robot', robot_repo: robot, entry: 'arm.xml', control_hz: 50, action: 'position' }
  const made = await hub.call(ada, 'POST', '/v1/robot-checks', { ...asked, executor: 'hosted' })
  expect([made.status, made.json.executor]).toEqual([201, 'hosted'])

  const read = async () => (await hub.call(ada, 'GET', `/v1/robot-checks/${made.json.id}`)).json
  await expect.poll(async () => (await read()).status, { timeout: 100_000, interval: 50 }).toBe('failed')
  const failed = await read()
  expect(failed.error).toBe('The hosted function could not be started: HOSTED_COMMAND is not set.')
  expect([failed.cost_usd, failed.hosted_call_id]).toEqual([0, null])
  expect(await hub.sql('select 1 from ledger where job_id = $1', [failed.id])).toEqual([])
  expect((await hub.call(ada, 'DELETE', `/v1/repos/${robot}`)).status).toBe(204)
})
