/** `hub check-worker` as HOSTED_COMMAND: with the key of a check and nothing else it brings the check to its verdict. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { contractHub } from '../support/hub.ts'
import { reachingCheckout } from '../support/open-folder.ts'

const cli = join(import.meta.dirname, '../../src/operator/hub.ts')
const hub = contractHub({
  ...reachingCheckout,
  HOSTED_APP_NAME: 'checks',
  HOSTED_COMMAND: `HUB_CHROMIUM=off exec "${process.execPath}" "${cli}" check-worker`,
})

const model = `<mujoco model="arm"><worldbody><body name="base"><geom type="box" size=".1 .1 .1" mass="1"/>
  <body name="link" pos="0 0 .2"><joint name="hinge" type="hinge" axis="0 1 0" range="-1 1"/><geom type="capsule" size=".03" fromto="0 0 0 0 0 .3" mass=".5"/></body>
  </body></worldbody><actuator><position name="drive" joint="hinge" kp="20"/></actuator></mujoco>`

it('executes the check of an owner within the allowance, and bills it', async () => {
  const ada = await hub.person()
  const robot = await hub.repo(ada, { kind: 'robot' })
  await hub.upload(ada, robot, { 'arm.xml': model })
  const asked = { kind: 'robot', robot_repo: robot, entry: 'arm.xml', control_hz: 50, action: 'position' }
  const made = await hub.call(ada, 'POST', '/v1/robot-checks', asked)
  expect([made.status, made.json.executor]).toEqual([201, 'hosted'])
  const read = async () => (await hub.call(ada, 'GET', `/v1/robot-checks/${made.json.id}`)).json
  const isOver = async () => ['succeeded', 'failed'].includes((await read()).status)
  await expect.poll(isOver, { timeout: 100_000, interval: 200 }).toBe(true)
  const check = await read()
  expect([check.status, check.error]).toEqual(['succeeded', null])
  expect(check.draft.card.dof).toBe(1)
  const ledger = await hub.sql('select amount_usd::float8 as usd from ledger where job_id = $1', [check.id])
  expect(ledger).toEqual([{ usd: check.cost_usd }])
  const { viewer } = (await hub.call(ada, 'GET', '/v1/hardware_tiers')).json.hosting.allowance
  expect([viewer.used_usd, viewer.reserved_usd]).toEqual([check.cost_usd, 0])
})
