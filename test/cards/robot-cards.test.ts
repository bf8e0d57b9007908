import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { goodCard, goodInterface } from '../../packages/robot-card/test/support/card.ts'
import { type Json, types } from '../support/hub.ts'
import { arm, cardCalls, failing } from './support/card-calls.ts'

const lab = cardCalls()
const { hub, put, get, validate, newRobot } = lab

describe('a card', () => {
  it('is 404 until it is put, and then returned with every member', async () => {
    const name = await newRobot()
    expect((await get(name)).status).toBe(404)
    expect((await hub.call(lab.ada, 'GET', `/v1/repos/${name}`)).json).not.toHaveProperty('robot_card')
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
    const inRepo = (await hub.call(lab.ada, 'GET', `/v1/repos/${name}`)).json
    expect(inRepo.robot_card).toEqual(made.json)
    expect(inRepo.updated_at >= made.json.updated_at).toBe(true)
    const listed = (await hub.call(lab.ada, 'GET', `/v1/repos?owner=${lab.ada.handle}&kind=robot`)).json.items
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
      const { json } = await hub.call(lab.ada, 'GET', `/v1/repos/${await hub.repo(lab.ada, { kind })}`)
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
    const stored = await hub.graphql(lab.ada, first, { card })
    expect(stored.data.putRobotCard.card.interface).toEqual({ base: 'fixed', jointOrder: ['swing'] })
    const report = await hub.graphql(lab.ada, second, { card: { dof: 1, actuators: [], mjcfPath: 'robot.xml' } })
    expect(report.data.validateRobotCard).toMatchObject({ ok: true, model: { joints: ['swing'] } })
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

describe('authorization', () => {
  it('is checked in the usual order: invisible 404, no credential 401, not writable 403, another kind 409, and only then the card', async () => {
    const open = await newRobot({ 'arm.xml': arm() }, { visibility: 'public' })
    const dataset = await hub.repo(lab.ada, { visibility: 'public' })
    const reader = await hub.key(lab.ada, { scope: 'read' })
    const bad = { dof: 'x' }
    expect((await put(lab.robot, bad, lab.bob)).status).toBe(404)
    expect((await put(open, bad, null)).status).toBe(401)
    expect((await put(open, bad, lab.bob)).status).toBe(403)
    expect((await put(open, bad, reader)).status).toBe(403)
    expect((await put(dataset, bad, lab.bob)).status).toBe(403)
    expect(types(await put(dataset, bad))).toEqual(['conflict.wrong_kind'])
    expect((await put(open, bad)).status).toBe(422)
  })

  it('to read: everyone who sees the repo; to validate: the same with a credential', async () => {
    const open = await newRobot({ 'arm.xml': arm() }, { visibility: 'public' })
    await put(open, goodCard())
    await put(lab.robot, goodCard())
    expect([
      (await get(open, null)).status,
      (await get(lab.robot, null)).status,
      (await get(lab.robot, lab.bob)).status,
    ]).toEqual([200, 404, 404])
    const ways = [
      await validate(open, {}, null),
      await validate(open, {}, lab.bob),
      await validate(lab.robot, {}, lab.bob),
    ]
    expect(ways.map(({ status }) => status)).toEqual([401, 200, 404])
    const dataset = await hub.repo(lab.ada)
    expect([types(await get(dataset)), types(await validate(dataset, {}))]).toEqual([
      ['conflict.wrong_kind'],
      ['conflict.wrong_kind'],
    ])
  })
})
