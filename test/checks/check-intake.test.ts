/** Spec, "POST /v1/robot-checks/{check_id}/report": `intake` of a model check. A match that a worker claims is compared with the robot's own fingerprint. */
import { beforeAll, describe, expect, it } from 'vitest'
import { goodCard } from '../../packages/robot-card/test/support/card.ts'
import { checksOf } from '../support/checks.ts'
import { contractHub, type Json, type Person, places } from '../support/hub.ts'

const hub = contractHub()
const checks = checksOf(hub)
const otherFingerprint = 'f'.repeat(64)
const arm = `<mujoco model="arm"><worldbody><body name="base"><geom size=".1"/><body name="hand"><joint name="shoulder"/><geom size=".1"/>
  <site name="tip"/><body name="finger"><joint name="elbow" type="slide"/><geom size=".1"/></body></body></body></worldbody>
  <keyframe><key name="home"/></keyframe></mujoco>`
let ada: Person
let model: string
/** Has a card with an interface. */
let robot: string
let fingerprint: string
/** Has a card without one. */
let bare: string

beforeAll(async () => {
  ada = await hub.person()
  model = await hub.repo(ada, { kind: 'model' })
  await hub.upload(ada, model, { 'walk.onnx': 'onnx' })
  robot = await hub.repo(ada, { kind: 'robot' })
  await hub.upload(ada, robot, { 'arm.xml': arm })
  const card = await hub.call(ada, 'PUT', `/v1/robots/${robot}/card`, goodCard())
  expect([card.status, card.json.errors]).toEqual([200, undefined])
  fingerprint = card.json.interface_fingerprint
  expect(fingerprint).toMatch(/^[0-9a-f]{64}$/)
  bare = await hub.repo(ada, { kind: 'robot' })
  expect((await hub.call(ada, 'PUT', `/v1/robots/${bare}/card`, { dof: 1, actuators: [] })).status).toBe(200)
})

async function claimed(robot_repo?: string): Promise<string> {
  const asked = { kind: 'model', robot_repo, model: { repo: model }, entry: 'walk.onnx' }
  const made = await hub.call(ada, 'POST', '/v1/robot-checks', asked)
  expect([made.status, made.json.errors]).toEqual([201, undefined])
  expect((await checks.post(ada, made.json.id, 'claim', { worker: 'box' })).status).toBe(200)
  return made.json.id
}
const report = (check: string, body: Json) => checks.post(ada, check, 'report', body)
const match = (change: Json = {}) => ({ embodiment: 'match', embodiment_fingerprint: fingerprint, ...change })

describe('the intake of a model check', () => {
  it('is required with `succeeded`: 422 names it, and the check goes on', async () => {
    const check = await claimed(robot)
    const refused = await report(check, { status: 'succeeded' })
    expect([refused.status, places(refused)]).toEqual([422, [['body', 'intake']]])
    expect((await checks.read(ada, check)).status).toBe('running')
  })

  it('is not required with `failed`, nor before the end', async () => {
    const check = await claimed(robot)
    expect((await report(check, { log_chunk: 'a\n' })).status).toBe(200)
    expect((await report(check, { status: 'failed', error: 'broke' })).status).toBe(200)
  })

  it('is refused of a robot check', async () => {
    const check = await checks.claimed(ada, robot)
    const refused = await report(check, { intake: { embodiment: 'unstamped' } })
    expect([refused.status, places(refused)]).toEqual([422, [['body', 'intake']]])
  })

  it.each(['mismatch', 'unstamped'])(
    'may say %s without fingerprints, with a robot and without',
    async (embodiment) => {
      for (const named of [robot, bare, undefined]) {
        const done = await report(await claimed(named), { status: 'succeeded', intake: { embodiment } })
        expect([done.status, done.json.intake.embodiment]).toEqual([200, embodiment])
      }
    },
  )
})

describe('a claim of `match`', () => {
  it("is taken with the fingerprint of the robot's interface, whether or not the robot's is said beside it", async () => {
    for (const intake of [match(), match({ robot_fingerprint: fingerprint })]) {
      const done = await report(await claimed(robot), { status: 'succeeded', intake })
      expect([done.status, done.json.intake]).toEqual([200, expect.objectContaining(intake)])
    }
  })

  it.each([
    [
      "the policy's fingerprint is another",
      () => match({ embodiment_fingerprint: otherFingerprint }),
      'embodiment_fingerprint',
    ],
    ["the policy's fingerprint is not said", () => match({ embodiment_fingerprint: null }), 'embodiment_fingerprint'],
    ["the robot's fingerprint is another", () => match({ robot_fingerprint: otherFingerprint }), 'robot_fingerprint'],
  ])('is 422 where %s, and stores nothing', async (_why, intake, member) => {
    const check = await claimed(robot)
    const refused = await report(check, { status: 'succeeded', log_chunk: 'a\n', intake: intake() })
    expect([refused.status, places(refused)]).toEqual([422, [['body', 'intake', member]]])
    expect(await checks.read(ada, check)).toMatchObject({ status: 'running', intake: null, log_tail: null })
  })

  it('is 422 without a robot, and with one that has no interface', async () => {
    for (const named of [undefined, bare]) {
      const refused = await report(await claimed(named), { status: 'succeeded', intake: match() })
      expect([refused.status, places(refused)]).toEqual([422, [['body', 'intake', 'embodiment']]])
    }
  })

  it('is compared with the card as it is when the report comes, not as it was when the check was queued', async () => {
    const name = await hub.repo(ada, { kind: 'robot' })
    await hub.upload(ada, name, { 'arm.xml': arm })
    expect((await hub.call(ada, 'PUT', `/v1/robots/${name}/card`, goodCard())).status).toBe(200)
    const check = await claimed(name)
    expect((await hub.call(ada, 'PUT', `/v1/robots/${name}/card`, { dof: 2, actuators: [] })).status).toBe(200)
    expect((await report(check, { status: 'succeeded', intake: match() })).status).toBe(422)
  })
})
