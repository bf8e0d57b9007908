/**
 * URDF as MuJoCo reads it: links and joints, what it rejects, and what it ignores. MuJoCo is the reference in each
 * case.
 */
import { afterAll, describe, expect, it } from 'vitest'
import { agreedReading, type Files } from './agreed-reading.ts'
import { openOracle } from './oracle/mujoco.ts'

const oracle = openOracle()
afterAll(() => oracle.close())

const inertiaOf = (xx: number, yy: number, zz: number, xy = 0) =>
  `<inertia ixx="${xx}" iyy="${yy}" izz="${zz}" ixy="${xy}" ixz="0" iyz="0"/>`
const inertial = (mass: number | string = 1, inertia = inertiaOf(1, 1, 1)) =>
  `<inertial><mass value="${mass}"/>${inertia}</inertial>`
const shape = (geometry: string, more = '') => `<collision ${more}><geometry>${geometry}</geometry></collision>`
const solid = inertial() + shape('<sphere radius=".1"/>')
const link = (name: string, content = solid) => `<link name="${name}">${content}</link>`
const joint = (name: string, parent: string, child: string, type = 'revolute', content = '') =>
  `<joint name="${name}" type="${type}"><parent link="${parent}"/><child link="${child}"/>${content}</joint>`
const robot = (content: string) => `<robot name="r">${content}</robot>`
const settings = (content: string) => robot(`<mujoco>${content}</mujoco>${link('a')}`)
const joined = (type: string, content = '') => robot(link('a') + link('b') + joint('j', 'a', 'b', type, content))

const solidOf = (content: string) => robot(link('a', inertial() + content))
const red = '<material name="m"><color rgba="1 0 0 1"/></material>'

const agreed = (urdf: string, files: Files = {}) => agreedReading(oracle, { 'main.urdf': urdf, ...files }, 'main.urdf')

const trees: Record<string, string> = {
  'a root in capitals': '<ROBOT name="r"><link name="a"/></ROBOT>',
  'a robot without a name': '<robot><link name="a"/></robot>',
  'a robot without links': robot(''),
  'two links of one name': robot(link('a') + link('a')),
  'a link without a name': robot('<link/>'),
  'a link with an empty name': robot(link('a') + link('') + joint('j', 'a', '')),
  'a circle of joints': robot(link('a') + link('b') + joint('j', 'a', 'b') + joint('k', 'b', 'a')),
  'a circle of joints beside a root': robot(
    link('c') + link('a') + link('b') + joint('j', 'a', 'b') + joint('k', 'b', 'a'),
  ),
  'a link that is its own parent': robot(link('a') + joint('j', 'a', 'a')),
  'a link with two parents': robot(link('a') + link('b') + link('c') + joint('j', 'a', 'c') + joint('k', 'b', 'c')),
  'two roots': robot(link('a') + link('b') + link('c') + joint('j', 'a', 'c')),
  'a parent that is not a link': robot(link('b') + joint('j', 'a', 'b')),
  'a child that is not a link': robot(link('a') + joint('j', 'a', 'b')),
  'a joint without a parent': robot(`${link('a') + link('b')}<joint name="j" type="fixed"><child link="b"/></joint>`),
  'a parent without a link': robot(
    `${link('a') + link('b')}<joint name="j" type="fixed"><parent/><child link="b"/></joint>`,
  ),
  'a joint with two parents': robot(
    link('a') + link('b') + joint('j', 'a', 'b').replace('<child', '<parent link="a"/><child'),
  ),
  'a link named world as root': robot(link('world', '') + link('b') + joint('j', 'world', 'b')),
  'a link named world with content': robot(link('world') + link('b') + joint('j', 'world', 'b')),
  'a link named world that moves': robot(link('a') + link('world') + joint('k', 'a', 'world')),
  'a link named world that is fixed to another': robot(
    link('a') + link('world', '') + link('b') + joint('k', 'a', 'world', 'fixed') + joint('j', 'world', 'b'),
  ),
  'children in the order of joints, roots in the order of links': robot(
    link('y') +
      link('z') +
      link('c') +
      link('b') +
      link('a') +
      joint('jb', 'z', 'b') +
      joint('ja', 'z', 'a') +
      joint('jc', 'a', 'c') +
      joint('jd', 'y', 'd') +
      link('d'),
  ),
  'what URDF has besides': robot(
    `${link('a')}<transmission name="t"><joint name="z"/></transmission><gazebo/><include file="nope.xml"/>`,
  ),
}

describe('a tree of links is accepted or rejected as in MuJoCo', () => {
  it.each(Object.entries(trees))('%s', async (_name, urdf) => {
    await agreed(urdf)
  })
})

const joints: Record<string, string> = {
  'no name': joined('revolute').replace('joint name="j"', 'joint'),
  'no name, and fixed': joined('fixed').replace('joint name="j"', 'joint'),
  'an empty name': joined('revolute').replace('joint name="j"', 'joint name=""'),
  'no type': joined('revolute').replace('type="revolute"', ''),
  'a type of MJCF': joined('hinge'),
  'the name of a link': joined('revolute').replace('joint name="j"', 'joint name="a"'),
  'a free joint below another': robot(
    link('a') + link('b') + link('c') + joint('k', 'a', 'b') + joint('j', 'b', 'c', 'floating'),
  ),
  'a free joint below what is fixed': robot(
    link('a') + link('b') + link('c') + joint('k', 'a', 'b', 'fixed') + joint('j', 'b', 'c', 'floating'),
  ),
  'a free joint below what is fixed, not welded': robot(
    `<mujoco><compiler fusestatic="false"/></mujoco>${link('a')}${link('b')}${joint('j', 'a', 'b', 'floating')}`,
  ),
  'fixed links that are not welded': robot(
    `<mujoco><compiler fusestatic="false"/></mujoco>${link('a')}${link('b')}${link('c')}` +
      joint('j', 'a', 'b', 'fixed') +
      joint('k', 'b', 'c'),
  ),
  'the name of an earlier joint': robot(
    link('a') + link('b') + link('c') + joint('j', 'a', 'b') + joint('j', 'b', 'c'),
  ),
  'the name of an earlier joint that is fixed': robot(
    link('a') + link('b') + link('c') + joint('j', 'a', 'b', 'fixed') + joint('j', 'b', 'c'),
  ),
  'a name that a part of a planar joint bears': robot(
    link('a') + link('b') + link('c') + joint('j_TX', 'a', 'b') + joint('j', 'b', 'c', 'planar'),
  ),
}

describe('a joint is accepted or rejected as in MuJoCo', () => {
  it.each(Object.entries(joints))('%s', async (_name, urdf) => {
    await agreed(urdf)
  })

  const types = ['revolute', 'continuous', 'prismatic', 'fixed', 'floating', 'planar', 'spherical']
  const contents = [
    '',
    '<axis xyz="0 0 1"/>',
    '<axis/>',
    '<axis xyz="0 0 0"/>',
    '<axis xyz="0 1"/>',
    '<axis xyz="0 0 1"/><axis xyz="0 0 1"/>',
    '<origin xyz="1 2" rpy="0 0 0"/>',
    '<limit lower="-1" upper="1" effort="-3" velocity="x"/>',
    '<limit lower="1" upper="-1"/>',
    '<limit lower="1" upper="1"/>',
    '<limit lower="1"/>',
    '<limit lower="x" upper="1"/>',
    '<limit lower="nan" upper="1"/>',
    '<limit lower="0" upper="3" effort="x"/>',
    '<limit/><limit/>',
    '<dynamics damping="-1" friction="-2"/>',
    '<dynamics damping="1 2"/>',
    '<mimic joint="zz"/><safety_controller k="x"/>',
  ]
  it.each(contents)('%s in each type of joint', async (content) => {
    for (const type of types) await agreed(joined(type, content))
  })

  it.each([
    'effort="3"',
    'effort="nan"',
    'lower="1" upper="1"',
    'lower="0" upper="0"',
    'lower="1" upper="0"',
    'lower="1"',
  ])('limits of %s where ranges do not limit by themselves', async (limit) => {
    const loose = (type: string) =>
      joined(type, `<limit ${limit}/>`).replace('<link', '<mujoco><compiler autolimits="false"/></mujoco><link')
    for (const type of types) await agreed(loose(type))
  })
})

const shapes = {
  'no shape': '',
  'a shape that URDF does not have': '<cone/>',
  'a box': '<box size="1 1 1"/>',
  'a box of two numbers': '<box size="1 1"/>',
  'a box of nothing': '<box size="0 1 1"/>',
  'a box without a size': '<box/>',
  'two boxes': '<box size="1 1 1"/><box size="1 1 1"/>',
  'a box before a sphere that is not looked at': '<sphere/><box size="1 1 1"/>',
  'a box with commas': '<box size="1,1,1"/>',
  'a box of no number': '<box size="nan 1 1"/>',
  'a box without end': '<box size="inf 1 1"/>',
  'a cylinder': '<cylinder radius="1" length="1"/>',
  'a cylinder without a length': '<cylinder radius="1"/>',
  'a cylinder of no length': '<cylinder radius="1" length="0"/>',
  'a sphere of a blank radius': '<sphere radius=" "/>',
  'a sphere of two radii': '<sphere radius="1 2"/>',
  'a capsule': '<capsule radius="1" length="1"/>',
  'a mesh without a file': '<mesh/>',
  'a mesh of an empty name': '<mesh filename=""/>',
  'a mesh that is not there': '<mesh filename="a.stl"/>',
}

describe('a shape is accepted or rejected as in MuJoCo', () => {
  it.each(Object.entries(shapes))('%s', async (_name, geometry) => {
    await agreed(solidOf(shape(geometry)))
  })

  it.each([
    ['a collision without a geometry', '<collision/>'],
    ['a visual without a geometry', '<visual/>'],
    ['two geometries', '<collision><geometry><sphere radius="1"/></geometry><geometry/></collision>'],
    ['half an origin', `<collision><origin xyz="1 2"/><geometry><sphere radius="1"/></geometry></collision>`],
    ['two origins', `<collision><origin/><origin/><geometry><sphere radius="1"/></geometry></collision>`],
    ['a name that is taken', shape('<sphere radius="1"/>', 'name="g"') + shape('<sphere radius="1"/>', 'name="g"')],
    ['a material without a name', '<visual><material/></visual>'],
    ['a material that is nowhere', '<visual><material name="q"><texture filename="z.png"/></material></visual>'],
    ['two materials', '<visual><material name="q"/><material name="q"/></visual>'],
    ['a color of one number', '<visual><material><color rgba="1"/></material></visual>'],
    ['a color of a name', '<visual><material name="q"><color rgba="1 1 1"/></material></visual>'],
    ['two colors', '<visual><material><color rgba="1 1 1 1"/><color rgba="1 1 1 1"/></material></visual>'],
  ])('%s', async (_name, content) => {
    await agreed(solidOf(content))
  })

  it.each([
    ['without a name, which is not looked at', '<material><color rgba="1"/></material>'],
    ['of a name seen before, which is not looked at', `${red}<material name="m"><color rgba="1"/></material>`],
    ['deep in what URDF does not have', '<gazebo><x><material name="m"><color/></material></x></gazebo>'],
    ['of two colors', '<material name="m"><color rgba="1 1 1 1"/><color rgba="1 1 1 1"/></material>'],
  ])('a material %s', async (_name, materials) => {
    await agreed(robot(materials + link('a')))
  })
})

const turnedInertia = (members: string) => {
  const [xx, yy, zz, xy, xz, yz] = members.split(' ')
  return `<inertia ixx="${xx}" iyy="${yy}" izz="${zz}" ixy="${xy}" ixz="${xz}" iyz="${yz}"/>`
}
/** Of a plate one inertia is the sum of the two others, and rounding decides. */
const PLATE =
  '0.00046361917662916677 0.0009264744822390145 0.000464272288580504 -0.0000035801008768074033 1.3729982137896305e-7 -0.000017751944643885274'
const straightPlate = inertial(1, inertiaOf(0.000001285, 0.000001366, 0.000002651)).replace(
  '<mass',
  '<origin rpy="0 0 1e30"/><mass',
)

const masses: [string, string][] = [
  ['no inertia at all', ''],
  ['an inertia of zeros', inertial(1, inertiaOf(0, 0, 0))],
  ['a mass of zero', inertial(0)],
  ['neither', inertial(0, inertiaOf(0, 0, 0))],
  ['a negative mass', inertial(-1)],
  ['a negative inertia', inertial(1, inertiaOf(-1, 1, 1))],
  ['an inertia that no body has', inertial(1, inertiaOf(1, 1, 5))],
  ['products of inertia that are too large', inertial(1, inertiaOf(1, 1, 1, 5))],
  ['a tiny mass', inertial(1e-16)],
  ['no member ixy', inertial(1, '<inertia ixx="1" iyy="1" izz="1"/>')],
  ['no mass', `<inertial>${inertiaOf(1, 1, 1)}</inertial>`],
  ['a mass without a value', inertial().replace('value="1"', '')],
  ['two masses in words', inertial('1 2')],
  ['two inertials', inertial() + inertial()],
  ['an empty inertial', '<inertial/>'],
]

const tensors: [string, string][] = [
  ['products of inertia that leave no positive one', inertial(1, turnedInertia('0.01 0.01 0.01 0.009 0.009 -0.009'))],
  ['products of inertia that break the triangle rule', inertial(1, turnedInertia('2e-4 3e-4 4e-4 2.4e-4 9e-5 9e-5'))],
  ['the inertia of a turned plate', inertial(1, turnedInertia(PLATE)).replace('<mass', '<origin rpy="1 2 3"/><mass')],
  ['a plate that stands straight, and is turned', straightPlate],
  ['an origin turned by no number', inertial().replace('<mass', '<origin rpy="nan 0 0"/><mass')],
  ['an origin turned without end', inertial().replace('<mass', '<origin rpy="0 inf 0"/><mass')],
  ['an origin at no number', inertial().replace('<mass', '<origin xyz="nan 0 0"/><mass')],
]

describe('mass is accepted or rejected as in MuJoCo', () => {
  it.each([...masses, ...tensors])(
    '%s in a link that moves, is static, or is fixed to another',
    async (_name, content) => {
      await agreed(robot(link('a') + link('b', content) + joint('j', 'a', 'b')))
      await agreed(robot(link('a') + link('b', content + shape('<sphere radius="1"/>')) + joint('j', 'a', 'b')))
      await agreed(robot(link('a', content)))
      await agreed(robot(link('a') + link('b', content) + joint('j', 'a', 'b', 'fixed')))
    },
  )

  it.each(tensors)('%s in a link that another one is fixed to', async (_name, content) => {
    const chain = (middle: string, end: string) =>
      link('a') + link('b', middle) + link('c', end) + joint('j', 'a', 'b') + joint('k', 'b', 'c', 'fixed')
    const ends = [
      [content, solid],
      [solid, content],
      [content, content],
      ['', content],
    ] as const
    for (const [middle, end] of ends) {
      await agreed(robot(chain(middle, end)))
      await agreed(robot(`<mujoco><compiler fusestatic="false"/></mujoco>${chain(middle, end)}`))
    }
  })

  it("a link without mass moves with the mass that is fixed to it, not with that of a joint's child", async () => {
    const chain = (type: string) =>
      robot(link('a') + link('b', '') + link('c') + joint('j', 'a', 'b') + joint('k', 'b', 'c', type))
    expect((await agreed(chain('fixed'))).faults).toEqual([])
    expect((await agreed(chain('revolute'))).faults).toMatchObject([{ kind: 'compile' }])
  })
})

describe('settings are accepted or rejected as in MuJoCo', () => {
  it.each([
    '<compiler strippath="yes"/>',
    '<compiler foo="yes"/>',
    '<compiler angle="degree"/>',
    '<compiler coordinate="global"/>',
    '<compiler eulerseq="xy"/>',
    '<compiler/><compiler/>',
    '<compiler><lengthrange mode="x"/></compiler>',
    '<foo/><include file="x"/><worldbody><zz/></worldbody>',
    '<option timestep="x"/>',
    '<option solver="x"/>',
    '<option foo="x"/>',
    '<option><flag gravity="x"/></option>',
    '<option><flag/><flag/></option>',
    '<size nkey="2"/>',
    '<size nkey="x"/>',
    '<size memory="x"/>',
  ])('%s', async (content) => {
    await agreed(settings(content))
  })

  it('two sections of them', async () => {
    const { faults } = await agreed(robot(`<mujoco/><mujoco/>${link('a')}`))
    expect(faults).toMatchObject([{ kind: 'schema', names: ['mujoco'] }])
  })
})

describe('faults are reported', () => {
  it('all at once, each with its place', async () => {
    const urdf = robot(`\n${link('a')}\n${link('a')}\n${joint('j', 'a', 'z')}\n${joint('k', 'a', 'a', 'bent')}`)
    const { faults, base, format } = await agreed(urdf)
    expect(faults.map(({ kind, line, names }) => [kind, line, names])).toEqual([
      ['name', 3, ['a']],
      ['reference', 4, ['z']],
      ['reference', 2, ['a']],
      ['value', 5, ['bent']],
    ])
    expect([base, format]).toEqual([null, 'urdf'])
  })
})
