import { body, childAsset, joint, type SpecCase, world } from './spec-case.ts'

/** A model that attaches another one to its world. */
const parent = (conflict: string, settings: string) =>
  `<compiler conflict="${conflict}"/>${settings}${childAsset}${world('<attach model="c" body="a" prefix="L"/>')}`
const files = (settings: string, inner = '') => ({
  'c.xml': `<mujoco>${settings}${world(body('a', joint('j') + inner))}</mujoco>`,
})
const one = ['Lj:hinge']
const option = (attributes: string) => `<option ${attributes}/>`
const flag = (attributes: string) => `<option><flag ${attributes}/></option>`

const cases = (
  rule: string,
  conflict: string,
  joints: SpecCase['joints'],
  ...settings: readonly (readonly [string, string])[]
): readonly SpecCase[] =>
  settings.map(([mine, theirs]) => ({
    rule: `${rule}: ${mine || 'nothing'}, ${theirs || 'nothing'}`,
    main: parent(conflict, mine),
    files: files(theirs),
    joints,
  }))

const ELASTIC =
  '<flexcomp name="f" count="3 3 3" dim="3" spacing=".1 .1 .1" radius=".01" rigid="false"><elasticity young="1"/></flexcomp>'
const nine = Array.from({ length: 81 }, () => ':slide')

/** Settings of the whole model that a model and one attached to it both have. */
export const CONFLICT_CASES: readonly SpecCase[] = [
  ...cases(
    'with conflict="error" a model and its child say the same of the whole',
    'error',
    null,
    [option('timestep=".001"'), option('timestep=".003"')],
    [option('gravity="0 0 -9"'), option('gravity="0 0 -8"')],
    [option('o_friction="1"'), option('o_friction="1 0.005"')],
    [option('cone="elliptic"'), option('cone="pyramidal"')],
    [flag('contact="enable"'), flag('contact="disable"')],
    [flag('energy="disable"'), flag('energy="enable"')],
    [flag('gravity="disable"'), flag('gravity="enable" contact="disable"')],
    ['<size nkey="3"/>', '<size nkey="5"/>'],
    ['<size memory="1M"/>', '<size memory="2M"/>'],
    ['<visual><map znear=".01"/></visual>', '<visual><map znear=".02"/></visual>'],
  ),
  ...cases(
    'what only one of them says, what is the same, and what is not true of the whole are not conflicts',
    'error',
    one,
    ['', option('timestep=".003"')],
    [option('timestep=".001"'), ''],
    [option('timestep="0x1p-9"'), option('timestep="0.001953125"')],
    [option('o_friction="1"'), option('o_friction="1 1"')],
    [flag('contact="disable"'), flag('contact="enable"')],
    [flag('energy="enable"'), flag('energy="disable"')],
    [option('actuatorgroupdisable="1 2"'), option('actuatorgroupdisable="2 3"')],
    ['<size nuser_body="-1"/>', '<size nuser_body="5"/>'],
    ['<size memory="1M"/>', '<size memory="1024K"/>'],
    ['<visual><global fovy="1"/></visual>', '<visual><global fovy="2"/></visual>'],
    ['<statistic extent="1"/>', '<statistic extent="2"/>'],
  ),
  ...cases(
    'with conflict="merge" only what has no larger or smaller value is a conflict',
    'merge',
    null,
    [option('density="1"'), option('density="2"')],
    [option('solver="CG"'), option('solver="PGS"')],
    [option('wind="1 0 0"'), option('wind="0 1 0"')],
  ),
  ...cases(
    'with conflict="merge" the smaller time step, the larger size and all flags are taken',
    'merge',
    one,
    [option('timestep=".001"'), option('timestep=".003"')],
    ['', option('density="2"')],
    [flag('contact="enable"'), flag('contact="disable"')],
    ['<size nuser_body="1"/>', '<size nuser_body="5"/>'],
  ),
  ...cases('left alone, conflicts are warnings', 'warning', one, [option('density="1"'), option('density="2"')]),
  {
    rule: 'merged sizes bring keyframes along',
    main: parent('merge', '<size nkey="1"/>'),
    files: files('<size nkey="3"/>'),
    joints: one,
    keyframes: [null, null, null],
  },
  {
    rule: 'a merged integrator holds for flexes',
    main: `${parent('merge', '')}${world(ELASTIC)}`,
    files: files(option('integrator="implicit"')),
    joints: null,
  },
  {
    rule: 'where conflicts are warnings, flexes do not use the integrator of a child',
    main: `${parent('warning', '')}${world(ELASTIC)}`,
    files: files(option('integrator="implicit"')),
    joints: [...one, ...nine],
  },
  {
    rule: 'a count that is negative is refused in the end only',
    main: parent('warning', ''),
    files: files('<size nuserdata="-1"/>'),
    joints: one,
  },
]
