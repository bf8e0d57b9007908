// @module-tag long
/** A robot check from a folder to draft, report and converted model. MuJoCo runs for real. */

import { describe, expect, it } from 'vitest'
import { engineLimits } from '../src/engine/limits.ts'
import { robotFolders } from './support/robot-folder.ts'

const robots = robotFolders()

const arm = (actuator: string, options = '') => `<mujoco model="arm">${options}
  <worldbody>
    <geom type="plane" size="1 1 .1"/>
    <body name="arm" pos="0 0 .5">
      <joint name="swing" axis="0 1 0" range="-90 90" damping=".1" armature=".01" frictionloss=".02"/>
      <geom type="capsule" size=".02" fromto="0 0 0 .3 0 0"/>
    </body>
  </worldbody>
  <actuator>${actuator}</actuator>
  <keyframe><key name="rest" qpos="1"/><key name="home" qpos="-.5"/></keyframe>
</mujoco>`

describe('a robot that stands still', () => {
  const folder = robots.folder({
    'arm.xml': arm('<position name="m" joint="swing" kp="200" kv="5" forcerange="-9 9"/>'),
  })

  it('gets a card that can be published, with the values of the model and of the answers', async () => {
    const options = { action_clip: 2, proprioception: ['joint_pos'], command: 'joint_position' }
    const { report, card, needs, draft, converted, statuses } = await robots.check(await folder, {
      entry: 'arm.xml',
      options,
    })
    expect(report).toMatchObject({
      ok: true,
      grade: 'pass',
      source: 'draft',
      engine: 'mujoco 3.14.0',
      mjcf_path: 'arm.xml',
    })
    expect(report.interface_fingerprint).toMatch(/^[0-9a-f]{64}$/)
    expect(statuses).toMatchObject({
      'card.schema': 'pass',
      'sim.compiles': 'pass',
      'sim.stable': 'pass',
      'sim.joint_ranges': 'pass',
      'sim.contacts': 'pass',
      'sim.rest': 'pass',
    })
    expect(card).toMatchObject({
      dof: 1,
      actuators: [{ name: 'm', joints: ['swing'], mode: 'position' }],
      limits: { swing: { lower: expect.closeTo(-Math.PI / 2), upper: expect.closeTo(Math.PI / 2), effort: 9 } },
      mjcf_path: 'arm.xml',
      interface: {
        version: 1,
        base: 'fixed',
        joint_order: ['swing'],
        default_pose: { swing: -0.5 },
        default_keyframe: 'home',
        control_rate_hz: 50,
        actuation: [
          { joints: ['swing'], mode: 'position', kp: 200, kd: 5, effort_limit: 9, armature: 0.01, friction_loss: 0.02 },
        ],
        action: { semantics: 'position', scale: 1, clip: 2 },
        proprioception: ['joint_pos'],
        command_space: { kind: 'joint_position' },
      },
      validation: { engine: 'mujoco', engine_version: '3.14.0', check_id: 'check_1', checks: report.checks },
    })
    expect(needs).toEqual([])
    expect(draft).toMatchObject({
      source: 'arm.xml',
      mjcf_path: 'arm.xml',
      conversion: null,
      model: { model: 'arm', nu: 1 },
    })
    expect(draft.derived).toContain('interface.base')
    expect(converted).toBeNull()
  })

  it('gets the same verdict each time', async () => {
    const [once, again] = [
      await robots.check(await folder, { entry: 'arm.xml' }),
      await robots.check(await folder, { entry: 'arm.xml' }),
    ]
    expect({ card: again.card, report: again.report, draft: again.draft, lines: again.lines }).toEqual({
      card: once.card,
      report: once.report,
      draft: once.draft,
      lines: once.lines,
    })
  })

  it('is stepped at the pose of the answers', async () => {
    const { report, check } = await robots.check(await folder, {
      entry: 'arm.xml',
      options: { default_pose: { swing: 1.9 } },
    })
    expect(check('sim.joint_ranges')).toMatchObject({
      status: 'warn',
      names: ['swing'],
      data: { out_of_range: [{ at_start: true }] },
    })
    expect(report.ok).toBe(true)
  })

  it('has a draft that cannot be published while an answer is wrong', async () => {
    const { needs } = await robots.check(await folder, {
      entry: 'arm.xml',
      base: 'floating',
      options: { default_pose: { swnig: 0 } },
    })
    expect(needs.filter(({ severity }) => severity === 'blocking')).toEqual([
      expect.objectContaining({ field: 'base', names: ['floating'] }),
      expect.objectContaining({ field: 'options.default_pose', names: ['swnig'] }),
    ])
  })
})

describe('a robot that does not stand still', () => {
  it('explodes at its default pose: the report names the joint and what to check', async () => {
    const folder = await robots.folder({
      'arm.xml': arm('<velocity name="m" joint="swing" kv="-50"/>', '<option timestep=".01"/>'),
    })
    const { report, check, statuses } = await robots.check(folder, { entry: 'arm.xml' })
    expect(report).toMatchObject({ ok: false, grade: 'fail' })
    expect(check('sim.stable')).toMatchObject({
      status: 'fail',
      names: ['swing'],
      hint: expect.stringContaining('gains'),
    })
    expect(check('sim.stable').message).toMatch(/^The model explodes after 0\.\d+ s: swing /)
    expect(statuses).toMatchObject({ 'sim.compiles': 'pass', 'sim.rest': 'skip', 'sim.joint_ranges': 'skip' })
  })

  it('explodes in its first step, which MuJoCo would reset and only warn about', async () => {
    const folder = await robots.folder({
      'arm.xml': arm('<general name="m" joint="swing" biastype="affine" biasprm="0 1e12"/>'),
    })
    const { check, lines } = await robots.check(folder, { entry: 'arm.xml' })
    expect(check('sim.stable')).toMatchObject({
      status: 'fail',
      names: ['swing'],
      data: { diverged: { at_s: 0.002 } },
    })
    expect(lines).toContainEqual(expect.stringMatching(/^mujoco: .*huge value in QACC at DOF 0/))
  })

  it('gives way where its actuator is too weak, which is a warning', async () => {
    const folder = await robots.folder({ 'arm.xml': arm('<position name="m" joint="swing" kp=".1"/>') })
    const { report, check } = await robots.check(folder, { entry: 'arm.xml' })
    expect(check('sim.rest')).toMatchObject({ status: 'warn', names: ['swing'] })
    expect(report.ok).toBe(true)
  })

  it('falls over, or has nothing to stand on, which are different results', async () => {
    const post = (world: string) => `<mujoco><worldbody>${world}<body name="post" pos="0 0 .31">
      <freejoint/><geom type="box" size=".02 .02 .3" euler="10 0 0"/></body></worldbody></mujoco>`
    const folder = await robots.folder({
      'floor.xml': post('<geom type="plane" size="1 1 .1"/>'),
      'air.xml': post(''),
    })
    const fallen = await robots.check(folder, { entry: 'floor.xml' })
    expect(fallen.check('sim.rest')).toMatchObject({ status: 'warn', names: ['post'] })
    expect(fallen.card?.interface).toMatchObject({ base: 'floating', init_base_height_m: 0.31, joint_order: [] })
    const air = await robots.check(folder, { entry: 'air.xml' })
    expect(air.check('sim.rest')).toMatchObject({
      status: 'skip',
      message: expect.stringContaining('nothing to stand on'),
    })
  })

  it('starts with overlapping bodies, which is a warning that names them', async () => {
    const folder = await robots.folder({
      'two.xml': `<mujoco><worldbody><body name="left"><freejoint/><geom size=".1"/></body>
        <body name="right" pos=".15 0 0"><freejoint/><geom size=".1"/></body></worldbody></mujoco>`,
    })
    const { check } = await robots.check(folder, { entry: 'two.xml' })
    expect(check('sim.contacts')).toMatchObject({ status: 'warn', names: ['left', 'right'] })
    expect(check('sim.contacts').message).toContain('50 mm')
  })
})

describe('a model that MuJoCo rejects', () => {
  it('lacks a mesh: the report has file, line and fix, and there is no card', async () => {
    const folder = await robots.folder({
      'robot.xml': `<mujoco><asset>\n<mesh name="tip" file="meshes/tip.obj"/></asset>
        <worldbody><body><joint name="j"/><geom type="mesh" mesh="tip"/></body></worldbody></mujoco>`,
    })
    const { report, card, needs, check } = await robots.check(folder, { entry: 'robot.xml' })
    expect(report.ok).toBe(false)
    expect(card).toBeNull()
    expect(needs).toEqual([expect.objectContaining({ field: 'entry', severity: 'blocking', names: ['robot.xml'] })])
    expect(check('assets.closure')).toMatchObject({
      status: 'fail',
      message: 'robot.xml:2: the mesh meshes/tip.obj is not in the repo.',
      names: ['meshes/tip.obj'],
      hint: expect.stringContaining('Upload meshes/tip.obj'),
    })
    expect(check('sim.compiles')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining("'meshes/tip.obj'"),
    })
    expect(check('sim.stable')).toMatchObject({ status: 'skip' })
  })

  it('has a mesh without volume, which only MuJoCo itself can detect', async () => {
    const folder = await robots.folder({
      'robot.xml': `<mujoco><asset><mesh name="flat" file="flat.obj"/></asset>
        <worldbody><body><joint name="j"/><geom type="mesh" mesh="flat"/></body></worldbody></mujoco>`,
      'flat.obj': 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n',
    })
    const { statuses, check } = await robots.check(folder, { entry: 'robot.xml' })
    expect(statuses).toMatchObject({ 'mjcf.parses': 'pass', 'assets.closure': 'pass', 'sim.compiles': 'fail' })
    expect(check('sim.compiles').hint).toContain('in MuJoCo on your machine')
  })

  it('crashes the engine: there is no verdict, and nothing can be published', async () => {
    const deep = `<mujoco><worldbody>${'<body>'.repeat(400)}${'</body>'.repeat(400)}</worldbody></mujoco>`
    const { check, needs, card } = await robots.check(await robots.folder({ 'deep.xml': deep }), {
      entry: 'deep.xml',
    })
    expect(check('sim.compiles')).toMatchObject({
      status: 'skip',
      message: expect.stringContaining('without a verdict'),
    })
    expect(card).toBeNull()
    expect(needs).toEqual([expect.objectContaining({ field: 'entry', severity: 'blocking' })])
  })

  it('is not passed to MuJoCo if the reader finds it too large', async () => {
    const folder = await robots.folder({
      'grid.xml': `<mujoco><worldbody><body name="b"><flexcomp name="f" type="grid" count="40 40 40" spacing=".01 .01 .01" dim="3"/>
        </body></worldbody></mujoco>`,
    })
    const { statuses, engine } = await robots.check(folder, { entry: 'grid.xml' })
    expect(statuses).toMatchObject({ 'mjcf.parses': 'fail', 'sim.compiles': 'skip' })
    expect(engine.version).toBeNull()
  })
})

describe('a model built to use too many resources', () => {
  // 24,000 slides that pull at each other, which the reader lets pass.
  const slow = `<mujoco><worldbody><body name="b">
    <flexcomp name="f" type="grid" count="20 20 20" spacing=".01 .01 .01" dim="3"/></body></worldbody></mujoco>`
  const large =
    '<mujoco><size memory="1900M"/><worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody></mujoco>'
  const folder = robots.folder({ 'slow.xml': slow, 'large.xml': large })

  it('that needs minutes fails with the limit', async () => {
    const { report, check } = await robots.check(
      await folder,
      { entry: 'slow.xml' },
      { limits: { ...engineLimits, processorS: 3 } },
    )
    expect(report.ok).toBe(false)
    expect(check('sim.compiles')).toMatchObject({
      status: 'fail',
      message: 'Compiling slow.xml takes longer than 3 s.',
      data: { limit_s: 3 },
      hint: expect.stringContaining('smaller'),
    })
  })

  it('that needs gigabytes fails with the limit', async () => {
    const { report, check, statuses } = await robots.check(await folder, { entry: 'large.xml' })
    expect(report.ok).toBe(false)
    expect(statuses['mjcf.parses']).toBe('pass')
    expect(check('sim.compiles')).toMatchObject({ status: 'fail', data: { limit_mib: 1024 } })
  })

  it('that needs too many files is not passed to MuJoCo', async () => {
    const { statuses, report } = await robots.check(
      await folder,
      { entry: 'large.xml' },
      { limits: { ...engineLimits, filesBytes: 100 } },
    )
    expect(statuses['sim.compiles']).toBe('skip')
    expect(report.engine).toBe('hub-static')
  })
})
