/** One URDF from its folder to a card that is good elsewhere too, without the folder of shared robots. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { contractHub, type Json } from '../support/hub.ts'
import { blockingNeeds, folderToCard } from './support/folder-to-card.ts'

const hub = contractHub()
const path = folderToCard(hub, hub)
let folder: string

const pole = `<robot name="pole">
  <link name="base"><inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tip">
    <inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><mesh filename="meshes/tip.obj"/></geometry></collision>
  </link>
  <joint name="hinge" type="revolute">
    <parent link="base"/><child link="tip"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="5" velocity="3"/>
  </joint>
</robot>`
const tetrahedron = `v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n`

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hub-pole-'))
  await mkdir(join(folder, 'meshes'))
  await writeFile(join(folder, 'pole.urdf'), pole)
  await writeFile(join(folder, 'meshes', 'tip.obj'), tetrahedron)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

it('a URDF is pushed, checked and published; its card and files are good in another repo', async () => {
  const repo = await path.pushed(folder)
  const options = { action_scale: 0.3 }
  const last = await path.checked(repo, { entry: 'pole.urdf', action: 'position_offset', base: 'fixed', options })
  expect([blockingNeeds(last.check), last.check.publish_blockers]).toEqual([[], []])
  const published = await path.publish(last)
  expect([published.status, published.json.errors]).toEqual([200, undefined])
  expect(published.json.published.files.map((file: Json) => file.path).toSorted()).toEqual([
    'pole.xml',
    'robot_card.json',
  ])
  const card = (await path.card(last)).json
  expect(card).toMatchObject({ mjcf_path: 'pole.xml', interface: { joint_order: ['hinge'], action: { scale: 0.3 } } })
  for (const report of await path.validatedElsewhere(repo, card))
    expect(report).toMatchObject({ ok: true, interface_fingerprint: card.interface_fingerprint })
})
