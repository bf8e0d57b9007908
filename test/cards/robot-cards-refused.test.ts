/** Cards that are rejected, and what each of their checks says. */
import { describe, expect, it } from 'vitest'
import { goodCard, goodInterface } from '../../packages/robot-card/test/support/card.ts'
import { type Json, places, types } from '../support/hub.ts'
import { arm, cardCalls, cardOf, failing } from './support/card-calls.ts'

const lab = cardCalls()
const { hub, put, get, validate, newRobot } = lab

describe('a card is rejected', () => {
  it('with every failing check as an entry under its code', async () => {
    const refused = await put(
      lab.robot,
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
    const inGraph = (mutation: string) => hub.graphql(lab.ada, mutation, { input: { owner, repo, document: card } })
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
    const refused = await hub.send(lab.ada, 'PUT', cardOf(lab.robot), init)
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
    expect(types(await put(lab.robot, undefined))).toEqual(['validation.required'])
    expect(types(await put(lab.robot, []))).toEqual(['card.schema'])
    const unknown = await validate(lab.robot, { card: goodCard(), kard: 1 })
    expect([unknown.status, types(unknown), places(unknown)]).toEqual([
      422,
      ['validation.unknown_member'],
      [['body', 'kard']],
    ])
  })
})
