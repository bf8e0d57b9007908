import { parseExact } from '@hub/formats/exact-json'
import { interfaceFingerprint } from '@hub/robot-card/fingerprint'
import type { EmbodimentInterface } from '@hub/robot-card/interface-schema'
import { pino } from 'pino'
import { beforeAll, describe, expect, it } from 'vitest'
import { goodCard, goodInterface } from '../../packages/robot-card/test/support/card.ts'
import { startHub } from '../../src/start-hub.ts'
import { contractHub, type Json, type Person } from '../support/hub.ts'

const hub = contractHub()
let ada: Person

const newRobot = () => hub.repo(ada, { kind: 'robot' })
const cardOf = (name: string) => `/v1/robots/${name}/card`
const putText = (name: string, body: string) =>
  hub.send(ada, 'PUT', cardOf(name), { headers: { 'content-type': 'application/json' }, body })

const { version, base, joint_order, control_rate_hz, actuation, action } = goodInterface()
const leastInterface = { version, base, joint_order, control_rate_hz, actuation, action }
const read = `query ($owner: String!, $slug: String!) { robotCard(owner: $owner, slug: $slug) { document interfaceFingerprint actuators { name }
  interface { proprioception parts { name } endEffectors { inMjcf } feet cameras { name } commandSpace { kind } safety { safeStop } } } }`
const inGraph = async (name: string): Promise<Json> => {
  const [owner, slug] = name.split('/')
  return (await hub.graphql(ada, read, { owner, slug })).data.robotCard
}

beforeAll(async () => {
  ada = await hub.person()
})

describe('absent members of a card', () => {
  const nulls = { proprioception: null, parts: null, feet: null, cameras: null, command_space: null, safety: null }

  it.each([
    ['absent', { dof: 2, interface: { ...leastInterface, end_effectors: [{ name: 'g' }] } }],
    [
      'null',
      {
        dof: 2,
        actuators: null,
        interface: { ...leastInterface, ...nulls, end_effectors: [{ name: 'g', in_mjcf: null }] },
      },
    ],
  ])('reads as null where it is %s, and is stored as it was put', async (_how, card) => {
    const name = await newRobot()
    const { status, json } = await hub.call(ada, 'PUT', cardOf(name), card)
    expect([status, json.actuators]).toEqual([200, []])
    expect(json.interface).toMatchObject({
      ...nulls,
      end_effectors: [{ name: 'g', site: null, body: null, gripper_joint: null, in_mjcf: true }],
    })
    expect((await hub.call(ada, 'GET', cardOf(name))).json).toEqual(json)
    expect(await inGraph(name)).toEqual({
      document: card,
      interfaceFingerprint: json.interface_fingerprint,
      actuators: [],
      interface: {
        proprioception: null,
        parts: null,
        endEffectors: [{ inMjcf: true }],
        feet: null,
        cameras: null,
        commandSpace: null,
        safety: null,
      },
    })
    expect(json.interface_fingerprint).toBe(interfaceFingerprint({ ...leastInterface, end_effectors: [{ name: 'g' }] }))
    const report = (await hub.call(ada, 'POST', `/v1/robots/${name}/validate`, {})).json
    expect([report.ok, report.interface_fingerprint]).toEqual([true, json.interface_fingerprint])
  })

  it('are still absent if the response is put again: the same fingerprint', async () => {
    const name = await newRobot()
    const card = {
      dof: 2,
      interface: { ...leastInterface, end_effectors: [{ name: 'g' }, { name: 'tool', in_mjcf: true }] },
    }
    const { interface_fingerprint } = (await hub.call(ada, 'PUT', cardOf(name), card)).json
    const { interface_fingerprint: read, updated_at: _at, ...answer } = (await hub.call(ada, 'GET', cardOf(name))).json
    expect([read, interfaceFingerprint(card.interface)]).toEqual([interface_fingerprint, interface_fingerprint])
    expect(answer.interface.end_effectors.map(({ in_mjcf }: Json) => in_mjcf)).toEqual([true, true])
    const report = await hub.call(ada, 'POST', `/v1/robots/${name}/validate`, { card: answer })
    expect([report.json.ok, report.json.interface_fingerprint]).toEqual([true, interface_fingerprint])
    for (let time = 0; time < 2; time += 1) {
      const again = await hub.call(ada, 'PUT', cardOf(name), answer)
      expect([again.status, again.json.interface_fingerprint]).toEqual([200, interface_fingerprint])
    }
    expect(interfaceFingerprint((await inGraph(name)).document.interface)).toBe(interface_fingerprint)
    // What a client changes is changed, and nothing else.
    const faster = { ...answer, interface: { ...answer.interface, control_rate_hz: 100 } }
    expect((await hub.call(ada, 'PUT', cardOf(name), faster)).json.interface_fingerprint).toBe(
      interfaceFingerprint({ ...card.interface, control_rate_hz: 100 }),
    )
  })

  it('are hashed where the card itself says them', async () => {
    const name = await newRobot()
    const card = { dof: 2, interface: { ...leastInterface, end_effectors: [{ name: 'g', in_mjcf: true }] } }
    const { json } = await hub.call(ada, 'PUT', cardOf(name), card)
    expect(json.interface_fingerprint).toBe(interfaceFingerprint(card.interface))
    const silent = { dof: 2, interface: { ...leastInterface, end_effectors: [{ name: 'g' }] } }
    const put = await hub.call(ada, 'PUT', cardOf(name), silent)
    expect(put.json.interface_fingerprint).toBe(interfaceFingerprint(silent.interface))
    expect(put.json.interface_fingerprint).not.toBe(json.interface_fingerprint)
    const denied = { dof: 2, interface: { ...leastInterface, end_effectors: [{ name: 'g', in_mjcf: false }] } }
    expect((await hub.call(ada, 'PUT', cardOf(name), denied)).json.interface.end_effectors[0].in_mjcf).toBe(false)
  })

  it('of an actuator read as null beside its vendor fields, and are kept as they were put', async () => {
    const name = await newRobot()
    const card = {
      dof: 2,
      actuators: [
        { name: 'a', volts: 12 },
        { name: 'b', count: 2 },
        { name: 'c', model: 'XL430' },
      ],
    }
    const { json } = await hub.call(ada, 'PUT', cardOf(name), card)
    expect(json.actuators).toEqual([
      { name: 'a', volts: 12, model: null, count: null },
      { name: 'b', count: 2, model: null },
      { name: 'c', model: 'XL430', count: null },
    ])
    expect((await hub.call(ada, 'GET', cardOf(name))).json.actuators).toEqual(json.actuators)
    expect((await inGraph(name)).document).toEqual(card)
    const { interface_fingerprint: _none, updated_at: _at, ...answer } = json
    expect((await hub.call(ada, 'PUT', cardOf(name), answer)).json.actuators).toEqual(json.actuators)
  })

  it('are omitted from a typed card too, with the same fingerprint', async () => {
    const name = await newRobot()
    const [owner, repo] = name.split('/')
    const card = {
      dof: 2,
      interface: {
        version,
        base,
        jointOrder: joint_order,
        controlRateHz: control_rate_hz,
        actuation,
        action,
        endEffectors: [{ name: 'g' }],
      },
    }
    const { data, errors } = await hub.graphql(
      ada,
      'mutation ($input: PutRobotCardInput!) { putRobotCard(input: $input) { card { interfaceFingerprint document } } }',
      { input: { owner, repo, card } },
    )
    expect(errors).toBeUndefined()
    const face = { ...leastInterface, end_effectors: [{ name: 'g' }] }
    expect(data.putRobotCard.card).toEqual({
      document: { dof: 2, interface: face },
      interfaceFingerprint: interfaceFingerprint(face),
    })
  })

  it('must not be required ones: each of these is reported', async () => {
    const name = await newRobot()
    for (const member of Object.keys(leastInterface)) {
      const card = { dof: 2, interface: { ...leastInterface, [member]: undefined } }
      const { status, json } = await hub.call(ada, 'PUT', cardOf(name), card)
      expect([status, json.errors.map(({ type, loc }: Json) => [type, ...loc])]).toEqual([
        422,
        [['card.schema', 'body', 'interface', member]],
      ])
    }
    const without = await hub.call(ada, 'PUT', cardOf(name), { interface: leastInterface })
    expect(without.json.errors.map(({ loc }: Json) => loc)).toEqual([['body', 'dof']])
  })
})

/** Of the interface in a card's text. */
const fingerprintIn = (text: string) =>
  interfaceFingerprint((parseExact(text) as { interface: EmbodimentInterface }).interface)

describe('a card is kept as it was put', () => {
  const texts = [
    '1e-7',
    '1.0',
    '100000000000000000000',
    '0.30000000000000004',
    '1e308',
    '-5e-324',
    '1E21',
    '-0',
    '9007199254740993',
    '0.1000000000000000055511151231257827',
  ]
  const pose = texts.map((text, at) => `"joint_${at}":${text}`).join(',')
  const order = texts.map((_, at) => `"joint_${at}"`).join(',')
  const text = (inner = '') =>
    `{"interface":{"version":1.0,"control_rate_hz":5e1,"base":"fixed","joint_order":[${order}],"default_pose":{${pose}},
      "action":{"scale":1e-7,"semantics":"position"},"actuation":[{"mode":"position","joints":[],"kp":0.30000000000000004}]${inner}},"dof":${texts.length}}`

  it('with every number in it, so that the card that is read back has the same fingerprint, even after a restart', async () => {
    const name = await newRobot()
    const { status, json, text: answered } = await putText(name, text())
    expect([status, json.errors]).toEqual([200, undefined])
    expect(answered).toContain(`"default_pose":{${pose}}`)
    expect(json.interface_fingerprint).toBe(fingerprintIn(text()))
    expect(fingerprintIn(answered)).toBe(json.interface_fingerprint)
    const { document } = await inGraph(name)
    expect(Object.values(document.interface.default_pose)).toEqual(texts.map(Number))
    const { publicUrl: _publicUrl, ...config } = hub.running.deps.config
    const again = await startHub({ ...config, publicUrl: null, port: 0 }, pino({ level: 'silent' }))
    try {
      const headers = { authorization: `Bearer ${ada.token}` }
      const answer = await fetch(new URL(cardOf(name), again.url), { headers })
      expect(await answer.json()).toEqual(json)
    } finally {
      await again.stop()
    }
  })

  it('with its members in their order, in maps and vendor fields too', async () => {
    const card = {
      mass_kg: 1,
      limits: { zeta: { upper: 1, lower: 0 }, a: {}, 'long name': {}, b: {} },
      actuators: [{ volts: 12, name: 'm', amps: { peak: 3, all: 1 } }],
      dof: 2,
      interface: { ...Object.fromEntries(Object.entries(leastInterface).reverse()), feet: [] },
    }
    const name = await newRobot()
    await hub.call(ada, 'PUT', cardOf(name), card)
    const { document } = await inGraph(name)
    expect(JSON.stringify(document)).toBe(JSON.stringify(card))
    const { json } = await hub.call(ada, 'GET', cardOf(name))
    expect(Object.keys(json.limits)).toEqual(Object.keys(card.limits))
    expect(Object.keys(json.actuators[0])).toEqual(['volts', 'name', 'amps', 'model', 'count'])
  })

  it('with the last value of a member that is written twice', async () => {
    const name = await newRobot()
    const twice = text(',"feet":["a"],"feet":[]')
    const { json } = await putText(name, twice)
    expect(json.interface.feet).toEqual([])
    expect(json.interface_fingerprint).toBe(fingerprintIn(twice))
  })

  it('with a description of up to 256 KiB of UTF-8, and not one byte more', async () => {
    const name = await newRobot()
    for (const [character, bytes] of [
      ['x', 1],
      ['é', 2],
      ['😀', 4],
    ] as const) {
      const most = character.repeat((256 * 1024) / bytes)
      const { status, json } = await hub.call(ada, 'PUT', cardOf(name), { dof: 1, description_md: most })
      expect([status, json.description_md === most]).toEqual([200, true])
      const over = await hub.call(ada, 'PUT', cardOf(name), { dof: 1, description_md: `${most}x` })
      expect([over.status, over.json.errors.map(({ type, loc }: Json) => [type, ...loc])]).toEqual([
        422,
        [['card.schema', 'body', 'description_md']],
      ])
    }
  })

  it("and is the same card if GraphQL's document of it is put again", async () => {
    const name = await newRobot()
    const { json } = await hub.call(ada, 'PUT', cardOf(name), goodCard({ mjcf_path: null }))
    const { document } = await inGraph(name)
    const again = await hub.call(ada, 'PUT', cardOf(name), document)
    expect(again.json).toEqual({ ...json, updated_at: expect.any(String) })
  })
})

describe('a page of repos with large cards', () => {
  it('ends early after 4 MiB of cards, and the next one continues where it ended, whatever the order', async () => {
    const owner = await hub.person()
    const names: string[] = []
    const large = {
      dof: 1,
      actuators: Array.from({ length: 15 }, (_, at) => ({ name: `m${at}`, notes: 'x'.repeat(60_000) })),
    }
    for (let at = 0; at < 8; at += 1) {
      const name = await hub.repo(owner, { kind: 'robot' })
      names.unshift(name)
      if (at !== 3) expect((await hub.call(owner, 'PUT', cardOf(name), large)).status).toBe(200)
    }
    for (const sort of ['created', 'updated']) {
      const pages: Json[] = []
      for (let query = ''; ; ) {
        const { json } = await hub.call(owner, 'GET', `/v1/repos?owner=${owner.handle}&sort=${sort}&limit=100${query}`)
        pages.push(json)
        if (json.next_cursor === null) break
        query = `&cursor=${json.next_cursor}`
      }
      expect(pages.flatMap(({ items }) => items.map((item: Json) => item.full_name)).toSorted()).toEqual(
        names.toSorted(),
      )
      expect(pages.map(({ items }) => items.length)).toEqual([6, 2])
    }
    const query = `{ repos(owner: "${owner.handle}", first: 100) { nodes { slug card { dof } } pageInfo { hasNextPage } } }`
    const { data } = await hub.graphql(owner, query)
    expect([data.repos.nodes.length, data.repos.pageInfo]).toEqual([6, { hasNextPage: true }])
    const inEdges = `{ repos(owner: "${owner.handle}", first: 100) { edges { node { ...Bare } } } } fragment Bare on Repo { slug card { dof } }`
    expect((await hub.graphql(owner, inEdges)).data.repos.edges).toHaveLength(6)
    for (const nodes of [
      'slug',
      'slug card @include(if: false) { dof }',
      'slug ... @skip(if: true) { card { dof } }',
    ]) {
      const names = `{ repos(owner: "${owner.handle}", first: 100) { nodes { ${nodes} } pageInfo { hasNextPage } } }`
      const { repos } = (await hub.graphql(owner, names)).data
      expect([nodes, repos.nodes.length, repos.pageInfo.hasNextPage]).toEqual([nodes, 8, false])
    }
    const small = await hub.call(owner, 'GET', `/v1/repos?owner=${owner.handle}&limit=2`)
    expect([small.json.items.length, small.json.next_cursor === null]).toEqual([2, false])
  })
})
