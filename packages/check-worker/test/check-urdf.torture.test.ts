/** A check of a URDF: its conversion, and what a draft of it still needs. MuJoCo runs for real. */

import { readCard } from '@hub/robot-card/read-card'
import { describe, expect, it } from 'vitest'
import { robotFolders, tetrahedron } from './support/robot-folder.ts'

const robots = robotFolders()

describe('a URDF', () => {
  const urdf = `<robot name="lift">
  <link name="base"><inertial><mass value="2"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size=".2 .2 .2"/></geometry></collision></link>
  <link name="tip"><inertial><mass value=".5"/><inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><mesh filename="meshes/tip.obj"/></geometry></visual></link>
  <joint name="rise" type="prismatic"><parent link="base"/><child link="tip"/><origin xyz="0 0 .3"/><axis xyz="0 0 1"/>
    <limit lower="0" upper=".4" effort="30" velocity=".2"/></joint>
</robot>`
  const folder = robots.folder({ 'urdf/lift.urdf': urdf, 'urdf/meshes/tip.obj': tetrahedron })

  it('is converted, and the MJCF compiles at its final path', async () => {
    const { report, converted, card, draft, needs } = await robots.check(await folder, {
      entry: 'urdf/lift.urdf',
      base: 'fixed',
      options: { kp: 500, kd: 20, proprioception: ['joint_pos'] },
    })
    expect(report).toMatchObject({
      ok: true,
      mjcf_path: 'urdf/lift.xml',
      model: { joints: ['rise'], files: ['urdf/lift.xml'] },
    })
    expect(converted).toMatchObject({ path: 'urdf/lift.xml', text: expect.stringContaining('<joint name="rise"') })
    expect(draft).toMatchObject({
      source: 'urdf/lift.urdf',
      mjcf_path: 'urdf/lift.xml',
      conversion: { from: 'urdf/lift.urdf', to: 'urdf/lift.xml', discard_visual: null, base_joint: null },
    })
    expect(card).toMatchObject({
      mass_kg: 2.5,
      limits: { rise: { lower: 0, upper: 0.4, velocity: 0.2, effort: 30 } },
      interface: {
        base: 'fixed',
        actuation: [{ joints: ['rise'], mode: 'position', kp: 500, kd: 20, effort_limit: 30, velocity_limit: 0.2 }],
      },
    })
    expect(needs.filter(({ severity }) => severity === 'blocking')).toEqual([])
    // The MJCF is self-contained: checked again next to the same files, it compiles.
    const again = await robots.folder({ 'urdf/lift.xml': converted?.text ?? '', 'urdf/meshes/tip.obj': tetrahedron })
    expect((await robots.check(again, { entry: 'urdf/lift.xml' })).statuses).toMatchObject({ 'sim.compiles': 'pass' })
  })

  it('floats if the answer says so, and keeps its visual meshes', async () => {
    const { report, converted, card, draft } = await robots.check(await folder, {
      entry: 'urdf/lift.urdf',
      base: 'floating',
      options: { discard_visual: false },
    })
    expect(report).toMatchObject({
      ok: true,
      model: { base: 'floating', files: ['urdf/lift.xml', 'urdf/meshes/tip.obj'] },
    })
    expect(converted?.text).toContain('<joint name="floating_base" type="free"/>')
    expect(converted?.text).toContain('file="meshes/tip.obj"')
    expect(draft.conversion).toMatchObject({ discard_visual: false, base_joint: 'floating_base' })
    expect(card?.interface).toMatchObject({ base: 'floating', joint_order: ['rise'] })
  })

  const places = [
    ['beside the folder of the URDF', '', '../meshes/tip.obj', 'urdf/lift.xml'],
    [
      'by the package, which is stripped',
      '<mujoco><compiler strippath="true" meshdir="../meshes"/></mujoco>',
      'package://lift/tip.obj',
      'urdf/lift.xml',
    ],
  ] as const
  it.each(places)('finds meshes %s from its MJCF too', async (_, settings, filename, path) => {
    const shaped = urdf.replace('meshes/tip.obj', filename).replace('<link', `${settings}<link`)
    const files = { 'urdf/lift.urdf': shaped, 'meshes/tip.obj': tetrahedron }
    const { report } = await robots.check(await robots.folder(files), {
      entry: 'urdf/lift.urdf',
      base: 'fixed',
      options: { discard_visual: false },
    })
    expect(report).toMatchObject({ ok: true, model: { files: ['meshes/tip.obj', path] } })
  })

  it('cannot be published until an answer says whether its base floats', async () => {
    const { needs, card } = await robots.check(await folder, { entry: 'urdf/lift.urdf' })
    expect(needs[0]).toMatchObject({
      field: 'base',
      severity: 'blocking',
      suggestion: expect.stringContaining('floating'),
    })
    expect(card?.needs_you).toEqual(needs)
    expect(readCard(card).card).toBeNull()
  })

  it('that is fixed to the world cannot float: that blocks, and is reported once', async () => {
    const tied = urdf.replace(
      '<link name="base">',
      '<link name="world"/><joint name="tie" type="fixed"><parent link="world"/><child link="base"/></joint><link name="base">',
    )
    const { needs } = await robots.check(await robots.folder({ 'lift.urdf': tied }), {
      entry: 'lift.urdf',
      base: 'floating',
    })
    expect(needs.filter(({ severity }) => severity === 'blocking')).toEqual([
      expect.objectContaining({ field: 'base', why: expect.stringContaining('a link named world') }),
    ])
  })

  it('reports that its MJCF replaces an existing file', async () => {
    const files = { 'lift.urdf': urdf, 'meshes/tip.obj': tetrahedron, 'lift.xml': '<mujoco/>' }
    const { needs } = await robots.check(await robots.folder(files), { entry: 'lift.urdf', base: 'fixed' })
    expect(needs[0]).toMatchObject({ field: 'entry', severity: 'advice', names: ['lift.xml'] })
  })
})
