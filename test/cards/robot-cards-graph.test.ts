import { beforeAll, describe, expect, it } from 'vitest'
import { goodCard, goodInterface } from '../../packages/robot-card/test/support/card.ts'
import { contractHub, type Json, type Person } from '../support/hub.ts'

const hub = contractHub()
let ada: Person

const model = `<mujoco model="arm"><worldbody><body name="base"><geom size=".1"/><body name="hand"><joint name="shoulder"/><geom size=".1"/><site name="tip"/>
  <body><joint name="elbow" type="slide"/><geom size=".1"/></body></body></body></worldbody></mujoco>`

async function newRobot() {
  const name = await hub.repo(ada, { kind: 'robot' })
  await hub.upload(ada, name, { 'arm.xml': model })
  return { name, input: { owner: ada.handle, repo: name.split('/')[1] } }
}

beforeAll(async () => {
  ada = await hub.person()
})

const putCard = `mutation ($input: PutRobotCardInput!) { putRobotCard(input: $input) { card {
  dof interfaceFingerprint document actuators { name model vendor } limits
  interface { base jointOrder defaultPose actuation { joints effortLimit } cameras { vlaSlot } } validation { checkedAt checks { status } } } } }`
const validateCard = `mutation ($input: ValidateRobotCardInput!) { validateRobotCard(input: $input) {
  ok grade source mjcfPath interfaceFingerprint model { joints } checks { code status loc } } }`

/** The good card as GraphQL spells it. */
const typed = (change: Record<string, unknown> = {}): Json => ({
  dof: 2,
  actuators: [{ name: 'm', vendor: { volts: 12 } }],
  mjcfPath: 'arm.xml',
  interface: {
    version: 1,
    base: 'fixed',
    jointOrder: ['shoulder', 'elbow'],
    controlRateHz: 50,
    actuation: [{ joints: ['shoulder', 'elbow'], mode: 'position', kp: 20 }],
    action: { semantics: 'position', scale: 0.5 },
    proprioception: ['joint_pos'],
    parts: [{ name: 'arm', kind: 'arm', joints: ['shoulder', 'elbow'] }],
    endEffectors: [{ name: 'gripper', site: 'tip', inMjcf: true }],
    feet: [],
    cameras: [],
    commandSpace: { kind: 'none' },
    safety: { softLimitFactor: 0.9, safeStop: 'hold' },
    ...change,
  },
})

describe('a card in the graph', () => {
  it('is the same card typed, as a document and through /v1', async () => {
    const one = await newRobot()
    const byType = await hub.graphql(ada, putCard, { input: { ...one.input, card: typed() } })
    expect(byType.errors).toBeUndefined()
    const two = await newRobot()
    const byDocument = await hub.graphql(ada, putCard, { input: { ...two.input, document: goodCard() } })
    expect(byDocument).toEqual(byType)
    expect(byType.data.putRobotCard.card.document).toEqual(goodCard())
    const [first, second] = await Promise.all(
      [one, two].map(({ name }) => hub.call(ada, 'GET', `/v1/robots/${name}/card`)),
    )
    expect({ ...first?.json, updated_at: 0 }).toEqual({ ...second?.json, updated_at: 0 })
  })

  it('keeps the keys of maps unchanged and puts vendor members beside the others', async () => {
    const { name, input } = await newRobot()
    const card = {
      ...typed({ defaultPose: { elbow: 1 }, cameras: [{ name: 'w', vlaSlot: 'LEFT_WRIST_0_RGB' }] }),
      actuators: [{ name: 'm', model: 'x', vendor: { gearRatio: 2, name: 'other', snake_key: { inner_Key: 1 } } }],
      limits: { shoulderPan: { lower: -1, upper: 1 } },
      validation: {
        engine: 'e',
        checkedAt: '2026-01-01T00:00:00Z',
        checks: [{ code: 'c', status: 'PASS', message: '', names: [], data: { camelKey: 1 } }],
      },
    }
    const { data, errors } = await hub.graphql(ada, putCard, { input: { ...input, card } })
    expect(errors).toBeUndefined()
    expect(data.putRobotCard.card).toMatchObject({
      actuators: [{ name: 'm', model: 'x', vendor: { gearRatio: 2, snake_key: { inner_Key: 1 } } }],
      limits: { shoulderPan: { lower: -1, upper: 1 } },
      interface: { defaultPose: { elbow: 1 }, cameras: [{ vlaSlot: 'LEFT_WRIST_0_RGB' }] },
      validation: { checkedAt: '2026-01-01T00:00:00.000Z', checks: [{ status: 'PASS' }] },
    })
    const rest = (await hub.call(ada, 'GET', `/v1/robots/${name}/card`)).json
    expect(rest.interface.cameras[0].vla_slot).toBe('left_wrist_0_rgb')
    expect(rest.validation.checks[0]).toMatchObject({ status: 'pass', data: { camelKey: 1 } })
  })

  it('is rejected with places in the spelling of the request', async () => {
    const { input } = await newRobot()
    const wrong = {
      jointOrder: ['shoulder', 'elbow', 'elbw'],
      commandSpace: { kind: 'none', ranges: { lin_x: [1, 0] } },
    }
    const placesOf = async (card: object) => {
      const { errors } = await hub.graphql(ada, putCard, { input: { ...input, ...card } })
      expect(errors[0].extensions).toMatchObject({ code: 'UNPROCESSABLE', status: 422 })
      return errors[0].extensions.problem.errors.map(({ loc }: Json) => loc.join('.'))
    }
    expect(await placesOf({ card: typed(wrong) })).toEqual([
      'input.card.interface.jointOrder.2',
      'input.card.interface.commandSpace.ranges.lin_x',
    ])
    const document = goodCard({ interface: goodInterface({ joint_order: ['shoulder', 'elbow', 'elbw'] }) })
    expect(await placesOf({ document })).toEqual(['input.document.interface.joint_order.2'])
    expect(await placesOf({ card: typed(), document: goodCard() })).toEqual(['input.document'])
    expect(await placesOf({})).toEqual(['input.card'])
    expect(await placesOf({ card: { ...typed(), actuators: [{ name: 'm', vendor: [1] }] } })).toEqual([
      'input.card.actuators.0.vendor',
    ])
  })

  it('is validated without being written', async () => {
    const { input } = await newRobot()
    const { data } = await hub.graphql(ada, validateCard, { input: { ...input, card: typed({ base: 'floating' }) } })
    const report = data.validateRobotCard
    expect(report).toMatchObject({
      ok: false,
      grade: 'FAIL',
      source: 'REQUEST',
      mjcfPath: 'arm.xml',
      model: { joints: ['shoulder', 'elbow'] },
    })
    expect(report.checks.find(({ code }: Json) => code === 'interface.base')).toEqual({
      code: 'interface.base',
      status: 'FAIL',
      loc: ['interface', 'base'],
    })
    const none = await hub.graphql(
      ada,
      `query ($owner: String!, $repo: String!) { robotCard(owner: $owner, slug: $repo) { dof } repo(owner: $owner, slug: $repo) { card { dof } } }`,
      input,
    )
    expect(none).toEqual({ data: { robotCard: null, repo: { card: null } } })
    const missing = await hub.graphql(ada, validateCard, { input })
    expect(missing.errors[0].extensions.code).toBe('NOT_FOUND')
  })
})

describe('the fingerprint of an interface', () => {
  it('finds robots, whatever order and spelling their cards were written in', async () => {
    const [one, two, other] = [await newRobot(), await newRobot(), await newRobot()]
    const mark = { version: 4711 }
    const first = await hub.call(
      ada,
      'PUT',
      `/v1/robots/${one.name}/card`,
      goodCard({ interface: goodInterface(mark) }),
    )
    const reversed = Object.fromEntries(Object.entries(goodInterface({ ...mark, default_pose: null })).reverse())
    const text = JSON.stringify(goodCard({ interface: reversed })).replace('"scale":0.5', '"scale":5e-1')
    const second = await hub.send(ada, 'PUT', `/v1/robots/${two.name}/card`, {
      headers: { 'content-type': 'application/json' },
      body: text,
    })
    const swapped = goodCard({ interface: goodInterface({ ...mark, joint_order: ['elbow', 'shoulder'] }) })
    const third = await hub.call(ada, 'PUT', `/v1/robots/${other.name}/card`, swapped)
    expect(second.json.interface_fingerprint).toBe(first.json.interface_fingerprint)
    expect(third.json.interface_fingerprint).not.toBe(first.json.interface_fingerprint)
    const found = await hub.call(ada, 'GET', `/v1/repos?interface_fingerprint=${first.json.interface_fingerprint}`)
    expect(found.json.items.map(({ full_name }: Json) => full_name).sort()).toEqual([one.name, two.name].sort())
    const graph = await hub.graphql(
      ada,
      `{ repos(interfaceFingerprint: "${third.json.interface_fingerprint}") { nodes { fullName } } }`,
    )
    expect(graph.data.repos.nodes).toEqual([{ fullName: other.name }])
    await hub.call(ada, 'PUT', `/v1/robots/${one.name}/card`, { dof: 2, actuators: [] })
    const fewer = await hub.call(ada, 'GET', `/v1/repos?interface_fingerprint=${first.json.interface_fingerprint}`)
    expect(fewer.json.items.map(({ full_name }: Json) => full_name)).toEqual([two.name])
  })

  it('updates embodiment_check of model repos with every change of the card', async () => {
    const { name } = await newRobot()
    const policy = await hub.repo(ada, { kind: 'model' })
    const put = (card: unknown) => hub.call(ada, 'PUT', `/v1/robots/${name}/card`, card)
    const check = async () => (await hub.call(ada, 'GET', `/v1/repos/${policy}`)).json.model_meta.embodiment_check
    await hub.call(ada, 'PUT', `/v1/models/${policy}/meta`, { policy_type: 'act', robot: name })
    expect(await check()).toBe('robot_undeclared')
    const { json } = await put(goodCard())
    expect(await check()).toBe('policy_unstamped')
    const stamped = { policy_type: 'act', robot: name, embodiment_fingerprint: json.interface_fingerprint }
    await hub.call(ada, 'PUT', `/v1/models/${policy}/meta`, stamped)
    expect(await check()).toBe('match')
    await put(goodCard({ mass_kg: 2 }))
    expect(await check()).toBe('match')
    await put(goodCard({ interface: goodInterface({ control_rate_hz: 51 }) }))
    expect(await check()).toBe('mismatch')
    await put(goodCard({ interface: null }))
    expect(await check()).toBe('robot_undeclared')
  })
})

describe('a card and its repo', () => {
  it('are checked and stored atomically: a push that breaks the model in between is detected', async () => {
    const { name } = await newRobot()
    const broken = model.replace('"elbow"', '"wrist"')
    const pushes = (async () => {
      for (let at = 0; at < 6; at += 1)
        await hub.upload(ada, name, { 'arm.xml': at % 2 ? broken : model, [`f${at}`]: 'x' })
    })()
    const puts = await Promise.all(
      Array.from({ length: 6 }, () => hub.call(ada, 'PUT', `/v1/robots/${name}/card`, goodCard())),
    )
    await pushes
    for (const { status } of puts) expect([200, 409, 422]).toContain(status)
    const after = await hub.call(ada, 'PUT', `/v1/robots/${name}/card`, goodCard())
    expect([after.status, after.json.errors[0].type]).toEqual([422, 'interface.joint_order'])
  })

  it('announce a new card to subscribers of the repo, and the card is deleted with the repo', async () => {
    const { name } = await newRobot()
    const before = (await hub.call(ada, 'GET', `/v1/repos/${name}`)).json.updated_at
    await hub.call(ada, 'PUT', `/v1/robots/${name}/card`, goodCard())
    expect((await hub.call(ada, 'GET', `/v1/repos/${name}`)).json.updated_at > before).toBe(true)
    expect((await hub.call(ada, 'DELETE', `/v1/repos/${name}`)).status).toBe(204)
    expect((await hub.call(ada, 'GET', `/v1/robots/${name}/card`)).status).toBe(404)
  })
})
