import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { goodCard, goodInterface } from '../../packages/robot-card/test/support/card.ts'
import { contractHub, type Json, type Person, places, types } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
let bob: Person
let robot: string

const arm = (body = '') => `<mujoco model="arm"><worldbody><body name="base"><geom size=".1"/>${body}
  <body name="hand"><joint name="shoulder"/><geom size=".1"/><site name="tip"/>
  <body name="finger"><joint name="elbow" type="slide"/><geom size=".1"/></body></body></body></worldbody>
  <keyframe><key name="home"/></keyframe></mujoco>`

const cardOf = (name: string) => `/v1/robots/${name}/card`
const put = (name: string, card: unknown, who: Person | string | null = ada) => hub.call(who, 'PUT', cardOf(name), card)
const get = (name: string, who: Person | string | null = ada) => hub.call(who, 'GET', cardOf(name))
const validate = (name: string, body?: unknown, who: Person | string | null = ada) =>
  hub.call(who, 'POST', `/v1/robots/${name}/validate`, body)

async function newRobot(files: Record<string, string> = { 'arm.xml': arm() }, change: Record<string, unknown> = {}) {
  const name = await hub.repo(ada, { kind: 'robot', ...change })
  if (Object.keys(files).length > 0) await hub.upload(ada, name, files)
  return name
}

const failing = (report: Json): string[] =>
  report.checks.filter(({ status }: Json) => status === 'fail').map(({ code }: Json) => code)

beforeAll(async () => {
  ada = await hub.person()
  bob = await hub.person()
  robot = await newRobot()
})

describe('a card', () => {
  it('is 404 until it is put, and then returned with every member', async () => {
    const name = await newRobot()
    expect((await get(name)).status).toBe(404)
    expect((await hub.call(ada, 'GET', `/v1/repos/${name}`)).json).not.toHaveProperty('robot_card')
    const made = await put(name, goodCard())
    expect([made.status, made.json.errors]).toEqual([200, undefined])
    expect(made.json).toEqual({
      dof: 2,
      actuators: [{ name: 'm', volts: 12, model: null, count: null }],
      mass_kg: null,
      limits: null,
      mjcf_path: 'arm.xml',
      description_md: null,
      interface: {
        ...goodInterface(),
        default_pose: null,
        default_keyframe: null,
        init_base_height_m: null,
        physics_dt_s: null,
        actuation: [
          {
            joints: ['shoulder', 'elbow'],
            mode: 'position',
            kp: 20,
            kd: null,
            effort_limit: null,
            velocity_limit: null,
            armature: null,
            friction_loss: null,
            delay_ms: null,
          },
        ],
        action: { semantics: 'position', scale: 0.5, scale_per_joint: null, clip: null },
        end_effectors: [{ name: 'gripper', site: 'tip', body: null, gripper_joint: null, in_mjcf: true }],
        command_space: { kind: 'none', ranges: null },
        safety: { soft_limit_factor: 0.9, max_tilt_rad: null, safe_stop: 'hold' },
      },
      interface_fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      validation: null,
      thumbnail_paths: null,
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    expect((await get(name)).json).toEqual(made.json)
    const inRepo = (await hub.call(ada, 'GET', `/v1/repos/${name}`)).json
    expect(inRepo.robot_card).toEqual(made.json)
    expect(inRepo.updated_at >= made.json.updated_at).toBe(true)
    const listed = (await hub.call(ada, 'GET', `/v1/repos?owner=${ada.handle}&kind=robot`)).json.items
    expect(listed.find((one: Json) => one.full_name === name).robot_card).toEqual(made.json)
  })

  it("keeps maps, vendor fields and its publisher's claim unchanged", async () => {
    const card = goodCard({
      actuators: [{ name: 'm', model: 'XL430', gearRatio: 258.5, nested: { snake_key: [1, { camelKey: null }] } }],
      limits: { elbow: { lower: -1, upper: 1 }, Shoulder_Joint: { lower: 0, velocity: 2, effort: null } },
      interface: goodInterface({
        default_pose: { elbow: -0.25 },
        action: { semantics: 'position', scale: 1, scale_per_joint: { elbow: 2 } },
        command_space: { kind: 'velocity', ranges: { linX: [-1, 1] } },
      }),
      validation: {
        engine: 'mujoco',
        checked_at: '2026-01-01T01:00:00+01:00',
        checks: [
          { code: 'a.b', status: 'warn', message: 'm', names: ['x'], loc: ['interface', 0], data: { Some_Key: [1] } },
        ],
      },
    })
    const name = await newRobot()
    const { json } = await put(name, card)
    expect(json.actuators).toEqual([{ ...card.actuators?.[0], count: null }])
    expect(json.limits).toEqual(card.limits)
    expect(json.interface.default_pose).toEqual({ elbow: -0.25 })
    expect(json.interface.action.scale_per_joint).toEqual({ elbow: 2 })
    expect(json.interface.command_space.ranges).toEqual({ linX: [-1, 1] })
    expect(json.validation).toEqual({
      engine: 'mujoco',
      engine_version: null,
      checked_at: '2026-01-01T00:00:00.000Z',
      checks: [
        {
          code: 'a.b',
          status: 'warn',
          message: 'm',
          names: ['x'],
          hint: null,
          loc: ['interface', 0],
          data: { Some_Key: [1] },
        },
      ],
      check_id: null,
    })
  })

  it('may contain any validation report as the claim of its publisher', async () => {
    const name = await newRobot()
    const wrong = goodCard({ interface: goodInterface({ joint_order: ['shoulder', 'elbw', 'elbow'], feet: ['toe'] }) })
    for (const candidate of [goodCard(), wrong]) {
      const report = (await validate(name, { card: candidate })).json
      const claim = { engine: report.engine, checked_at: new Date().toISOString(), checks: report.checks }
      const made = await put(name, goodCard({ validation: claim }))
      expect([made.status, made.json.errors]).toEqual([200, undefined])
      expect(made.json.validation).toEqual({ ...claim, engine_version: null, check_id: null })
    }
    const { json } = await validate(name, {})
    expect([json.ok, failing(json)]).toEqual([true, []])
  })

  it('belongs only to robot repos: no other repo has the member', async () => {
    for (const kind of ['dataset', 'model']) {
      const { json } = await hub.call(ada, 'GET', `/v1/repos/${await hub.repo(ada, { kind })}`)
      expect(json).not.toHaveProperty('robot_card')
    }
  })

  it('is replaced atomically, and stays unchanged if the next one is rejected', async () => {
    const name = await newRobot()
    await put(name, goodCard({ mass_kg: 3 }))
    const bare = (await put(name, { dof: 2, actuators: [] })).json
    expect([bare.mass_kg, bare.interface, bare.interface_fingerprint, bare.mjcf_path]).toEqual([null, null, null, null])
    expect((await put(name, goodCard({ mjcf_path: 'other.xml' }))).status).toBe(422)
    expect((await get(name)).json).toEqual(bare)
  })

  it('leaves an entry in the audit log, with its fingerprint', async () => {
    const name = await newRobot()
    const { json } = await put(name, goodCard())
    const rows = await hub.sql<Json>(
      `select after from audit_log where action = 'repo.card' and target_id = (
      select r.id from repos r join accounts o on o.id = r.owner_id where o.handle || '/' || r.slug = $1)`,
      [name],
    )
    expect(rows).toEqual([
      {
        after: { mjcf_path: 'arm.xml', interface_fingerprint: json.interface_fingerprint, sha256: expect.any(String) },
      },
    ])
  })
})

describe('the guide', () => {
  const guide = readFileSync(new URL('../../docs/robot-cards.md', import.meta.url), 'utf8')
  const between = (start: string, end: string) => guide.split(start)[1]?.split(end)[0] ?? ''
  const card = JSON.parse(between("-d '", "'\n```"))

  it('shows a card and a model that pass', async () => {
    const name = await newRobot({ 'robot.xml': between('```xml\n', '```') })
    const made = await put(name, card)
    expect([made.status, made.json.errors]).toEqual([200, undefined])
    const { json } = await validate(name, {})
    expect([json.grade, json.model]).toMatchObject(['pass', { joints: ['swing'], keyframes: ['home'], base: 'fixed' }])
  })

  it('shows documents that the graph accepts', async () => {
    const name = await newRobot({ 'robot.xml': between('```xml\n', '```') })
    const [owner = '', repo = ''] = name.split('/')
    const [first = '', second = ''] = between('```graphql\n', '```')
      .replaceAll('"ada"', JSON.stringify(owner))
      .replaceAll('"pendulum"', JSON.stringify(repo))
      .split('\n\n')
    const stored = await hub.graphql(ada, first, { card })
    expect(stored.data.putRobotCard.card.interface).toEqual({ base: 'fixed', jointOrder: ['swing'] })
    const report = await hub.graphql(ada, second, { card: { dof: 1, actuators: [], mjcfPath: 'robot.xml' } })
    expect(report.data.validateRobotCard).toMatchObject({ ok: true, model: { joints: ['swing'] } })
  })
})

describe('a card is rejected', () => {
  it('with every failing check as an entry under its code', async () => {
    const refused = await put(
      robot,
      goodCard({
        mjcf_path: 'absent.xml',
        thumbnail_paths: { light: 'light.png', dark: 'dark.png' },
        limits: { elbow: { lower: 2, upper: 1 } },
        interface: goodInterface({ default_pose: { elbw: 1 }, joint_order: ['shoulder', 'elbow', 'elbow'] }),
      }),
    )
    expect([refused.status, refused.json.type]).toEqual([422, '/problems/validation.failed'])
    expect(types(refused)).toEqual([
      'mjcf.exists',
      'interface.joint_order',
      'interface.default_pose',
      'card.limits',
      'card.thumbnails',
    ])
    expect(places(refused)).toEqual([
      ['body', 'mjcf_path'],
      ['body', 'interface', 'joint_order', 2],
      ['body', 'interface', 'default_pose', 'elbw'],
      ['body', 'limits', 'elbow'],
      ['body', 'thumbnail_paths', 'light'],
    ])
    expect(refused.json.errors[2]).toMatchObject({ names: ['elbw'], hint: 'Did you mean elbow?' })
    expect(refused.json.errors[4].names).toEqual(['light.png', 'dark.png'])
    for (const { type } of refused.json.errors) {
      const page = await hub.send(null, 'GET', `/problems/${type}`)
      expect([page.status, page.text.includes(type)]).toEqual([200, true])
    }
  })

  it.each([
    ['mjcf.exists', {}, goodCard({ mjcf_path: 'absent.xml' })],
    ['mjcf.parses', { 'arm.xml': '<mujoco><worldbody></mujoco>' }, goodCard({ interface: null })],
    ['mjcf.parses', { 'arm.xml': '<mujoco><wurldbody/></mujoco>' }, goodCard({ interface: null })],
    [
      'assets.closure',
      {
        'arm.xml': arm('<geom type="mesh" mesh="m"/>').replace(
          '<worldbody>',
          '<asset><mesh name="m" file="m.stl"/></asset><worldbody>',
        ),
      },
      goodCard(),
    ],
    [
      'assets.closure',
      { 'arm.xml': arm().replace('<worldbody>', '<include file="part.xml"/><worldbody>') },
      goodCard(),
    ],
    [
      'interface.joint_order',
      {},
      goodCard({ interface: goodInterface({ joint_order: ['shoulder', 'elbow', 'tip'] }) }),
    ],
    ['interface.base', {}, goodCard({ interface: goodInterface({ base: 'floating' }) })],
    [
      'interface.base',
      { 'arm.xml': arm('<freejoint/>').replace('<keyframe><key name="home"/></keyframe>', '') },
      goodCard(),
    ],
    ['interface.default_keyframe', {}, goodCard({ interface: goodInterface({ default_keyframe: 'away' }) })],
    [
      'interface.end_effectors',
      {},
      goodCard({ interface: goodInterface({ end_effectors: [{ name: 'g', site: 'top', in_mjcf: true }] }) }),
    ],
    [
      'assets.readable',
      {
        'arm.xml': arm('<geom type="mesh" mesh="m"/>').replace(
          '<worldbody>',
          '<asset><mesh name="m" file="m.stl"/></asset><worldbody>',
        ),
        'm.stl': '',
      },
      goodCard(),
    ],
    ['interface.default_pose', {}, goodCard({ interface: goodInterface({ default_pose: { tip: 0 } }) })],
    [
      'interface.actuation',
      {},
      goodCard({ interface: goodInterface({ actuation: [{ joints: ['shoulder', 'wrist'], mode: 'position' }] }) }),
    ],
    [
      'interface.actuation',
      {},
      goodCard({
        interface: goodInterface({
          actuation: [
            { joints: ['shoulder', 'elbow'], mode: 'position' },
            { joints: ['elbow'], mode: 'torque' },
          ],
        }),
      }),
    ],
    [
      'interface.action',
      {},
      goodCard({
        interface: goodInterface({ action: { semantics: 'position', scale: 1, scale_per_joint: { wrist: 1 } } }),
      }),
    ],
    [
      'interface.parts',
      {},
      goodCard({ interface: goodInterface({ parts: [{ name: 'arm', kind: 'arm', joints: ['wrist'] }] }) }),
    ],
    [
      'interface.end_effectors',
      {},
      goodCard({ interface: goodInterface({ end_effectors: [{ name: 'g', gripper_joint: 'claw' }] }) }),
    ],
    ['interface.feet', {}, goodCard({ interface: goodInterface({ feet: ['hand', 'toe'] }) })],
    [
      'interface.ranges',
      {},
      goodCard({ interface: goodInterface({ command_space: { kind: 'velocity', ranges: { vx: [1, -1] } } }) }),
    ],
    ['card.limits', {}, goodCard({ limits: { elbow: { lower: 2, upper: 1 } } })],
    ['card.thumbnails', {}, goodCard({ thumbnail_paths: { light: 'arm.xml', dark: 'dark.png' } })],
    ['card.schema', {}, { ...goodCard(), dof: 'two' }],
  ])('by %s alone, by put and validate alike, in both dialects', async (code, files, card) => {
    const name = await newRobot({ 'arm.xml': arm(), ...files })
    const [owner, repo] = name.split('/')
    const inGraph = (mutation: string) => hub.graphql(ada, mutation, { input: { owner, repo, document: card } })
    const refused = await put(name, card)
    expect([refused.status, types(refused)]).toEqual([422, [code]])
    const report = (await validate(name, { card })).json
    expect([report.ok, report.grade, failing(report)]).toEqual([false, 'fail', [code]])
    const found = report.checks.find((check: Json) => check.code === code)
    expect(['body', ...found.loc]).toEqual(refused.json.errors[0].loc)
    const { names, hint, data } = found
    expect(refused.json.errors[0]).toMatchObject({ names, hint, data })
    const graphPut = await inGraph(
      'mutation ($input: PutRobotCardInput!) { putRobotCard(input: $input) { card { dof } } }',
    )
    const { errors } = graphPut.errors[0].extensions.problem
    expect(errors).toEqual([{ ...refused.json.errors[0], loc: ['input', 'document', ...found.loc] }])
    const graphReport = await inGraph(
      'mutation ($input: ValidateRobotCardInput!) { validateRobotCard(input: $input) { ok grade checks { code status message names hint loc data } } }',
    )
    expect(graphReport.data.validateRobotCard).toEqual({
      ok: false,
      grade: 'FAIL',
      checks: report.checks.map((check: Json) => ({ ...check, status: check.status.toUpperCase() })),
    })
    expect((await get(name)).status).toBe(404)
  })

  it('for infinite numbers at any place', async () => {
    const text = '{"dof":1,"actuators":[{"name":"m","x":[1e999]}],"limits":{"a":{"upper":-1e999}}}'
    const init = { headers: { 'content-type': 'application/json' }, body: text }
    const refused = await hub.send(ada, 'PUT', cardOf(robot), init)
    expect([refused.status, types(refused), places(refused)]).toEqual([
      422,
      ['card.schema', 'card.schema'],
      [
        ['body', 'actuators', 0, 'x', 0],
        ['body', 'limits', 'a', 'upper'],
      ],
    ])
  })

  it('without a body, and with one that is not a card at all', async () => {
    expect(types(await put(robot, undefined))).toEqual(['validation.required'])
    expect(types(await put(robot, []))).toEqual(['card.schema'])
    const unknown = await validate(robot, { card: goodCard(), kard: 1 })
    expect([unknown.status, types(unknown), places(unknown)]).toEqual([
      422,
      ['validation.unknown_member'],
      [['body', 'kard']],
    ])
  })
})

describe('a warning', () => {
  it.each([
    [
      'interface.vocabulary',
      { interface: goodInterface({ base: 'wheeled', safety: { soft_limit_factor: 1, safe_stop: 'sit' } }) },
    ],
    ['interface.cameras', { interface: goodInterface({ cameras: [{ name: 'a' }, { name: 'a' }] }) }],
    ['interface.base', { interface: goodInterface({ init_base_height_m: 1 }) }],
    [
      'interface.default_pose',
      { limits: { elbow: { lower: 0, upper: 1 } }, interface: goodInterface({ default_pose: { elbow: 2 } }) },
    ],
    ['interface.ranges', { interface: goodInterface({ safety: { soft_limit_factor: 2, safe_stop: 'hold' } }) }],
    ['card.limits', { limits: { wrist: { lower: 0 } } }],
    ['card.dof', { dof: 17 }],
  ])('by %s blocks no put, and is the grade of the report', async (code, change) => {
    const name = await newRobot()
    const made = await put(name, goodCard(change))
    expect([made.status, made.json.errors]).toEqual([200, undefined])
    const { json } = await validate(name)
    const warned = json.checks.filter(({ status }: Json) => status === 'warn').map((check: Json) => check.code)
    expect([json.ok, json.grade, warned]).toEqual([true, 'warn', [code]])
  })
})

describe('a model with more than one thing wrong', () => {
  const outside = arm('<geom type="mesh" mesh="m"/>').replace(
    '<worldbody>',
    '<asset><mesh name="m" file="../m.stl"/></asset><worldbody>',
  )
  const codesOf = async (text: string, interfaceChange: Record<string, unknown>) => {
    const name = await newRobot({ 'arm.xml': text })
    const report = (await validate(name, { card: goodCard({ interface: goodInterface(interfaceChange) }) })).json
    const of = (code: string) => report.checks.find((check: Json) => check.code === code)
    return { failing: failing(report), of }
  }
  const lost = { joint_order: ['shoulder', 'elbow', 'elbw'], feet: ['toe'] }

  it('is still read if a mesh lies outside of the repo', async () => {
    expect((await codesOf(outside, {})).failing).toEqual(['assets.closure'])
    const { failing, of } = await codesOf(outside, lost)
    expect(failing).toEqual(['assets.closure', 'interface.joint_order', 'interface.feet'])
    expect(of('mjcf.parses').status).toBe('pass')
  })

  it('is still read if it has an attribute that MJCF does not have', async () => {
    const wrong = arm('<geom size=".1" colour="red"/>')
    expect((await codesOf(wrong, {})).failing).toEqual(['mjcf.parses'])
    const { failing, of } = await codesOf(wrong, lost)
    expect(failing).toEqual(['mjcf.parses', 'interface.joint_order', 'interface.feet'])
    expect(of('interface.joint_order').message).toBe('elbw is not a joint of arm.xml as it stands.')
  })

  it.each([
    ['is missing', 'part.xml'],
    ['lies outside of the repo', '../part.xml'],
  ])('is held to what was found of it where an include %s', async (_what, file) => {
    const cut = arm().replace('<worldbody>', `<include file="${file}"/><worldbody>`)
    expect((await codesOf(cut, {})).failing).toEqual(['assets.closure'])
    const { failing, of } = await codesOf(cut, lost)
    expect(failing).toEqual(['assets.closure'])
    const statuses = [
      'mjcf.parses',
      'interface.joint_order',
      'interface.feet',
      'interface.end_effectors',
      'interface.base',
    ]
    expect(statuses.map((code) => of(code).status)).toEqual(['skip', 'skip', 'skip', 'pass', 'skip'])
  })
})

describe('authorization', () => {
  it('is checked in the usual order: invisible 404, no credential 401, not writable 403, another kind 409, and only then the card', async () => {
    const open = await newRobot({ 'arm.xml': arm() }, { visibility: 'public' })
    const dataset = await hub.repo(ada, { visibility: 'public' })
    const reader = await hub.key(ada, { scope: 'read' })
    const bad = { dof: 'x' }
    expect((await put(robot, bad, bob)).status).toBe(404)
    expect((await put(open, bad, null)).status).toBe(401)
    expect((await put(open, bad, bob)).status).toBe(403)
    expect((await put(open, bad, reader)).status).toBe(403)
    expect((await put(dataset, bad, bob)).status).toBe(403)
    expect(types(await put(dataset, bad))).toEqual(['conflict.wrong_kind'])
    expect((await put(open, bad)).status).toBe(422)
  })

  it('to read: everyone who sees the repo; to validate: the same with a credential', async () => {
    const open = await newRobot({ 'arm.xml': arm() }, { visibility: 'public' })
    await put(open, goodCard())
    await put(robot, goodCard())
    expect([(await get(open, null)).status, (await get(robot, null)).status, (await get(robot, bob)).status]).toEqual([
      200, 404, 404,
    ])
    const ways = [await validate(open, {}, null), await validate(open, {}, bob), await validate(robot, {}, bob)]
    expect(ways.map(({ status }) => status)).toEqual([401, 200, 404])
    const dataset = await hub.repo(ada)
    expect([types(await get(dataset)), types(await validate(dataset, {}))]).toEqual([
      ['conflict.wrong_kind'],
      ['conflict.wrong_kind'],
    ])
  })
})

describe('validate', () => {
  it('reports on the stored card without a body, with an empty one and with null', async () => {
    const name = await newRobot()
    expect((await validate(name, {})).status).toBe(404)
    const { json: card } = await put(name, goodCard())
    for (const body of [undefined, {}, { card: null }]) {
      const { status, json } = await validate(name, body)
      expect([status, json.source, json.ok, json.interface_fingerprint]).toEqual([
        200,
        'stored',
        true,
        card.interface_fingerprint,
      ])
    }
  })

  it('reports the model and every check, and writes nothing', async () => {
    const name = await newRobot()
    const { json } = await validate(name, { card: goodCard() })
    expect(json).toMatchObject({
      ok: true,
      source: 'request',
      engine: 'hub-static',
      mjcf_path: 'arm.xml',
      model: { model: 'arm', base: 'fixed', joints: ['shoulder', 'elbow'], files: ['arm.xml'], keyframes: ['home'] },
    })
    expect(json.checks.length).toBeGreaterThan(15)
    for (const check of json.checks)
      expect(Object.keys(check)).toEqual(['code', 'status', 'message', 'names', 'hint', 'loc', 'data'])
    expect((await get(name)).status).toBe(404)
  })

  it('reports schema faults together with model faults', async () => {
    const card = {
      ...goodCard({ interface: goodInterface({ joint_order: ['elbow', 'elbow'] }) }),
      dof: null,
      colour: 'red',
    }
    const { status, json } = await validate(robot, { card })
    expect([status, json.ok, json.interface_fingerprint]).toEqual([200, false, null])
    expect(failing(json)).toEqual(expect.arrayContaining(['card.schema', 'card.schema', 'interface.joint_order']))
    expect(json.model.joints).toEqual(['shoulder', 'elbow'])
  })

  it('finds faults that a push caused after the card was stored', async () => {
    const name = await newRobot()
    await put(name, goodCard())
    await hub.upload(ada, name, { 'arm.xml': arm().replace('"elbow"', '"elbow_joint"') })
    const report = (await validate(name, {})).json
    expect([report.ok, failing(report)]).toEqual([false, ['interface.joint_order']])
    expect(report.checks.find((check: Json) => check.code === 'interface.joint_order').hint).toBe(
      'Did you mean elbow_joint?',
    )
  })

  it('accepts an Idempotency-Key like every POST', async () => {
    const headers = { 'idempotency-key': 'v1' }
    const first = await hub.call(ada, 'POST', `/v1/robots/${robot}/validate`, { card: goodCard() }, headers)
    const again = await hub.call(ada, 'POST', `/v1/robots/${robot}/validate`, { card: goodCard() }, headers)
    expect([again.headers.get('idempotent-replayed'), again.json]).toEqual(['true', first.json])
  })
})
