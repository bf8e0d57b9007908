/** Meshes of a URDF: which files are opened, and where they are looked for. MuJoCo is the reference in each case. */
import { afterAll, describe, expect, it } from 'vitest'
import { agreedReading, type Files } from './agreed-reading.ts'
import { stl } from './asset-models.ts'
import { openOracle } from './oracle/mujoco.ts'

const oracle = openOracle()
afterAll(() => oracle.close())

const mass = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
const mesh = (file: string, scale?: string) =>
  `<geometry><mesh filename="${file}"${scale === undefined ? '' : ` scale="${scale}"`}/></geometry>`
const solid = (file: string, scale?: string) => `<collision>${mesh(file, scale)}</collision>`
const seen = (file: string) => `<visual>${mesh(file)}</visual>`
const robot = (content: string, compiler = '') =>
  `<robot name="r"><mujoco>${compiler}</mujoco><link name="a">${mass}${content}</link></robot>`
const shown = '<compiler discardvisual="false"/>'

const agreed = (urdf: string, files: Files = {}) => agreedReading(oracle, { 'main.urdf': urdf, ...files }, 'main.urdf')

const cases: Record<string, [string, Files?]> = {
  'two of one name and scale, of which the first is opened': [
    robot(solid('x/v.stl') + solid('y/v.stl')),
    { 'x/v.stl': stl },
  ],
  'two of one name and scale, of which only the second is there': [
    robot(solid('x/v.stl') + solid('y/v.stl')),
    { 'y/v.stl': stl },
  ],
  'two that differ in their extension alone': [robot(solid('x/v.stl') + solid('y/v.obj')), { 'x/v.stl': stl }],
  'two of one name and different scales': [robot(solid('x/v.stl') + solid('y/v.stl', '2 2 2')), { 'x/v.stl': stl }],
  'scales that are equal as numbers': [robot(solid('x/v.stl') + solid('y/v.stl', '1 1.0 1e0')), { 'x/v.stl': stl }],
  'four of three scales': [
    robot(solid('v.stl') + solid('v.stl', '2 2 2') + solid('v.stl', '3 2 2') + solid('v.stl', '2 2 2')),
    { 'v.stl': stl },
  ],
  'a made name that another mesh takes': [
    robot(solid('x/v.stl') + solid('v.stl', '2 2 2') + solid('v1.stl')),
    { 'x/v.stl': stl, 'v.stl': stl, 'v1.stl': stl },
  ],
  'a made name that another mesh has': [
    robot(solid('v1.stl') + solid('x/v.stl') + solid('v.stl', '2 2 2')),
    { 'x/v.stl': stl, 'v.stl': stl, 'v1.stl': stl },
  ],
  'a scale of two numbers': [robot(solid('v.stl', '1 1')), { 'v.stl': stl }],
  'an empty scale': [robot(solid('v.stl', '')), { 'v.stl': stl }],
  'a mirror scale': [robot(solid('v.stl', '-1 1 1')), { 'v.stl': stl }],
  'a visual one, which is not opened': [robot(seen('v.stl'))],
  'a visual one that is not discarded': [robot(seen('v.stl'), shown)],
  'a visual one that MuJoCo cannot read': [robot(seen('v.dae'), shown), { 'v.dae': stl }],
  'a visual and a collision one of one name': [robot(seen('x/v.stl') + solid('y/v.stl'), shown), { 'x/v.stl': stl }],
  'a discarded visual one and a collision one of one name': [
    robot(seen('x/v.stl') + solid('y/v.stl')),
    { 'y/v.stl': stl },
  ],
  meshdir: [robot(solid('x/v.stl'), '<compiler meshdir="q"/>'), { 'q/x/v.stl': stl }],
  assetdir: [robot(solid('x/v.stl'), '<compiler assetdir="q"/>'), { 'q/x/v.stl': stl }],
  strippath: [robot(solid('package://p/v.stl'), '<compiler meshdir="q" strippath="true"/>'), { 'q/v.stl': stl }],
  'a package without strippath': [robot(solid('package://p/v.stl')), { 'p/v.stl': stl }],
}

describe('a mesh of a URDF is found or missing as in MuJoCo', () => {
  it.each(Object.entries(cases))('%s', async (_name, [urdf, files]) => {
    await agreed(urdf, files)
  })
})

describe('a URDF in an MJCF model', () => {
  const parent = (attach: string, settings = '') =>
    `<mujoco model="p">${settings}<asset><model name="c" file="c/arm.urdf"/></asset><worldbody>${attach}</worldbody></mujoco>`
  const arm = (content: string, compiler = '') =>
    `<robot name="arm"><mujoco>${compiler}</mujoco><link name="a">${mass}${content}</link><link name="b">${mass}</link>
      <joint name="j" type="revolute"><parent link="a"/><child link="b"/></joint></robot>`
  const attach = '<attach model="c" prefix="c-"/>'

  it.each<[string, Files]>([
    ['brings its joints', { 'main.xml': parent(attach), 'c/arm.urdf': arm('') }],
    ['brings one body', { 'main.xml': parent('<attach model="c" body="b" prefix="c-"/>'), 'c/arm.urdf': arm('') }],
    [
      'has its meshes below its own folder',
      { 'main.xml': parent(attach, '<compiler meshdir="m"/>'), 'c/arm.urdf': arm(solid('v.stl')), 'c/v.stl': stl },
    ],
    [
      'has its own strippath',
      {
        'main.xml': parent(attach),
        'c/arm.urdf': arm(solid('package://x/v.stl'), '<compiler strippath="true"/>'),
        'c/v.stl': stl,
      },
    ],
    ['has its visual meshes discarded', { 'main.xml': parent(attach), 'c/arm.urdf': arm(seen('v.stl')) }],
    ['is refused for what is wrong in it', { 'main.xml': parent(''), 'c/arm.urdf': arm('<collision/>') }],
    [
      'falls into the world when a floating joint hangs on a fixed root',
      { 'main.xml': parent(attach), 'c/arm.urdf': arm('').replace('revolute', 'floating') },
    ],
  ])('%s', async (_name, files) => {
    await agreedReading(oracle, files)
  })

  it('names its joints with the prefix', async () => {
    const { joints } = await agreedReading(oracle, { 'main.xml': parent(attach), 'c/arm.urdf': arm('') })
    expect(joints).toMatchObject([{ name: 'c-j', type: 'hinge' }])
  })
})
