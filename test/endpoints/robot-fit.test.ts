/** Contract, "Which robots an endpoint serves": as they are, by a reviewed map that the approval fixes, or not at all. */
import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { goodInterface } from '../../packages/robot-card/test/support/card.ts'
import { contractHub, type Json, type Person, types } from '../support/hub.ts'
import { endpointsOf, onnxBytes } from '../support/hub-endpoints.ts'
import { refusal, sessionWorld } from '../support/sessions.ts'

const hub = contractHub()
const endpoints = endpointsOf(hub)
const world = sessionWorld(hub)
let ada: Person
let policy: string
let endpoint: string

/** The joints that the policy drives, in its order. */
const order = ['shoulder', 'elbow']

beforeAll(async () => {
  ada = await hub.person()
  const contract = JSON.stringify({ params: 11, contract: { joint_order: order, base: 'fixed' } })
  policy = await endpoints.model(ada, { 'policy.onnx': onnxBytes, 'contract.json': contract })
  endpoint = await endpoints.claimed(ada, policy)
})

/** A card without a model, so that its joints are taken as they are said. */
const cardOf = (joint_order: readonly string[], change: Json = {}) => ({
  dof: joint_order.length,
  actuators: [],
  interface: goodInterface({
    joint_order,
    actuation: [{ joints: joint_order, mode: 'position', kp: 20 }],
    parts: [],
    end_effectors: [],
    ...change,
  }),
})

/** A robot with this order of joints, and a device that is one. */
async function armWith(joint_order: readonly string[], change: Json = {}) {
  const robot = await hub.repo(ada, { kind: 'robot' })
  const put = async (joints: readonly string[], changed: Json = {}) => {
    const { status, json } = await hub.call(ada, 'PUT', `/v1/robots/${robot}/card`, cardOf(joints, changed))
    expect([status, json.errors]).toEqual([200, undefined])
  }
  await put(joint_order, change)
  return { robot, put, device: await world.device(ada, { robotRepo: robot }) }
}

const mapTo = (first: string, second: string, offset = 0) => ({
  version: 1,
  joints: [
    { from: 'shoulder', to: first, sign: -1, scale: 1, offset },
    { from: 'elbow', to: second, sign: 1, scale: 1, offset: 0 },
  ],
  held: [],
  dropped: [],
})
const keep = async (robot: string, map: unknown, if_version: number) =>
  (await hub.call(ada, 'PUT', `/v1/repos/${policy}/joint-maps`, { robot, map, if_version })).json
const review = (robot: string, version: number) =>
  hub.call(ada, 'POST', `/v1/repos/${policy}/joint-maps/review`, { robot, version })
const open = (device: string, approval_token: string, headers = {}) =>
  world.open(ada, endpoint, { device_id: device, approval_token }, headers)
const refused = async (device: string) => {
  const { errors } = await world.mint(ada, endpoint, device)
  return errors[0].extensions.problem as Json
}

describe('an endpoint whose policy names its joints', () => {
  it('serves a robot with the same joints in the same order, and one about which nothing is known', async () => {
    const { device } = await armWith(order)
    const blank = await world.device(ada, { robotRepo: await hub.repo(ada, { kind: 'robot' }) })
    for (const id of [device, blank, await world.device(ada)]) {
      const { token } = await world.approve(ada, endpoint, id)
      expect(decodeJwt(token)).not.toHaveProperty('joint_map')
      const { status, json } = await open(id, token)
      expect([status, json.joint_map]).toEqual([201, null])
      expect(decodeJwt(json.session_token)).not.toHaveProperty('joint_map')
    }
  })

  it('refuses a robot of other joints: the error names the differences and the fix', async () => {
    const { robot, device } = await armWith(['shoulder', 'wrist'])
    const problem = await refused(device)
    expect(problem.status).toBe(409)
    expect(problem.detail).toContain(`${robot} does not fit ${policy} as it is.`)
    expect(problem.detail).toContain('wrist')
    expect(problem.detail).toContain(`hub map propose ${policy} ${robot}`)
    expect(problem.errors.slice(1).map(({ place }: Json) => place)).toContain('joints.wrist')
  })

  it('refuses joints in another order, and what no map changes, with another fix', async () => {
    const [turned, walking] = [await armWith(['elbow', 'shoulder']), await armWith(order, { base: 'floating' })]
    expect((await refused(turned.device)).detail).toMatch(/The order differs/)
    expect((await refused(walking.device)).detail).toMatch(/No map of joints changes that/)
  })

  it('serves a robot by a map once it is reviewed, fixed in token, approval and session', async () => {
    const { robot, device } = await armWith(['shoulder', 'wrist'])
    const { fingerprint, map } = await keep(robot, mapTo('shoulder', 'wrist'), 0)
    expect((await refused(device)).detail).toContain(`hub map review ${policy} ${robot}`)
    await review(robot, 1)
    const { id, token } = await world.approve(ada, endpoint, device)
    expect(decodeJwt(token)).toMatchObject({ joint_map: fingerprint })
    expect(await world.row('approvals', id)).toMatchObject({ joint_map: fingerprint })
    const { status, json } = await open(device, token)
    expect([status, json.joint_map]).toEqual([201, { fingerprint, map }])
    expect(decodeJwt(json.session_token)).toMatchObject({ joint_map: fingerprint })
  })

  it('takes no session of an approval after another map was reviewed; a draft changes nothing', async () => {
    const { robot, device } = await armWith(['shoulder', 'wrist'])
    await keep(robot, mapTo('shoulder', 'wrist'), 0)
    await review(robot, 1)
    const { token } = await world.approve(ada, endpoint, device)
    const key = { 'idempotency-key': device }
    expect((await open(device, token, key)).status).toBe(201)
    await keep(robot, mapTo('shoulder', 'wrist', 0.1), 1)
    expect((await open(device, token)).status).toBe(201)
    await review(robot, 2)
    const late = await open(device, token)
    expect([late.status, types(late)]).toEqual([409, ['conflict.fit_changed']])
    expect(types(await open(device, token, key))).toEqual(['conflict.fit_changed'])
    const again = await world.approve(ada, endpoint, device)
    expect((await open(device, again.token)).status).toBe(201)
  })

  it('takes no session of a robot that has other joints by now', async () => {
    const { device, put } = await armWith(order)
    const { token } = await world.approve(ada, endpoint, device)
    await put(['shoulder', 'wrist'])
    const late = await open(device, token)
    expect([late.status, late.json.errors[0].type]).toEqual([409, 'conflict.robot_fit'])
    expect(late.json.detail).toContain('wrist')
  })

  it('keeps the joints of its policy, whatever the repo says later', async () => {
    const { device } = await armWith(order)
    await hub.upload(ada, policy, { 'contract.json': JSON.stringify({ contract: { joint_order: ['x', 'y'] } }) })
    expect(refusal(await world.mint(ada, endpoint, device))).toBeUndefined()
  })

  it('tells no joints of a robot to one who does not see it', async () => {
    const bob = await hub.person()
    const robot = await hub.repo(bob, { kind: 'robot', visibility: 'public' })
    const card = cardOf(['shoulder', 'secret_joint'])
    expect((await hub.call(bob, 'PUT', `/v1/robots/${robot}/card`, card)).status).toBe(200)
    const device = await world.device(ada, { robotRepo: robot })
    expect((await refused(device)).detail).toContain('secret_joint')
    await hub.call(bob, 'PATCH', `/v1/repos/${robot}`, { visibility: 'private' })
    const problem = JSON.stringify(await refused(device))
    expect(problem).toContain('does not fit')
    expect(problem).not.toContain('secret_joint')
  })
})
