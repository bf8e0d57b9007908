import { body, type RuleCase, world } from './rule-case.ts'

const asset = (inner: string, rest = '') => `<asset>${inner}</asset>${rest}`
const TETRAHEDRON = 'vertex="0 0 0 1 0 0 0 1 0 0 0 1"'
const skin = (
  attributes: string,
  bones = '<bone body="b" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2" vertweight="1 1 1"/>',
) => `${world(body('', 'name="b"'))}<deformable><skin name="s" ${attributes}>${bones}</skin></deformable>`
const TRIANGLE = 'vertex="0 0 0 1 0 0 0 1 0" face="0 1 2"'
const keyed = (key: string) =>
  `${world(body('<joint name="j"/><body><joint type="ball"/><geom size=".1"/></body>') + body('<freejoint/>') + body('', 'mocap="true"'))}
   <actuator><motor joint="j"/><general joint="j" dyntype="filter"/></actuator><keyframe>${key}</keyframe>`
const TEXTURE = '<texture name="t" type="2d" builtin="flat" width="8" height="8"/>'
const fixed = (attributes: string) =>
  `${world('<body><joint name="j"/><geom size=".1"/></body>')}<tendon><fixed ${attributes}><joint joint="j" coef="1"/></fixed></tendon>`
const numbers = (count: number) => new Array(count).fill('1').join(' ')

/** Assets, custom fields, keyframes. */
export const ASSET_CASES: readonly RuleCase[] = [
  {
    rule: 'a mesh encloses some volume, but for a shell',
    refused: [
      asset(`<mesh name="m" vertex="0 0 0 1e-6 0 0 0 1e-6 0 0 0 1e-6"/>`),
      asset(`<mesh name="m" ${TETRAHEDRON} scale="1e-6 1e-6 1e-6"/>`),
      asset(`<mesh name="m" ${TETRAHEDRON} scale=".001 .001 1e-12"/>`, world('<geom type="mesh" mesh="m"/>')),
      asset(`<mesh name="m" ${TETRAHEDRON} face="0 2 1 0 3 2 0 1 3 1 2 3" scale="1e-7 1e-7 1e-3"/>`),
      asset(`<mesh name="m" ${TETRAHEDRON} face="0 2 1 0 3 2 0 1 3 1 2 3" inertia="exact" scale="1e-6 1e-6 1e-6"/>`),
      `<default><mesh scale="1e-6 1e-6 1e-6"/></default>${asset(`<mesh name="m" ${TETRAHEDRON}/>`)}`,
    ],
    accepted: [
      asset(`<mesh name="m" ${TETRAHEDRON} scale="1e-4 1e-4 1e-4"/>`),
      asset(`<mesh name="m" ${TETRAHEDRON} scale="-1e-4 1e-4 1e-4"/>`),
      asset(`<mesh name="m" ${TETRAHEDRON} inertia="shell" scale="1e-6 1e-6 1e-6"/>`),
      asset(`<mesh name="m" ${TETRAHEDRON} scale="1e-3 1e-3 1e-8"/>`),
    ],
  },
  {
    rule: 'materials and textures that are referred to exist',
    refused: [
      world('<geom size=".1" material="none"/>'),
      world('<site material="none"/>'),
      asset('<material name="m" texture="none"/>'),
      asset('<material name="m"><layer role="rgb" texture="none"/></material>'),
      `<default><geom material="none"/></default>${world('<geom size=".1"/>')}`,
      `<default><material texture="none"/></default>${asset('<material name="m"/>')}`,
      skin(`${TRIANGLE} material="none"`),
    ],
    accepted: [
      asset('<material name="m"/>', world('<geom size=".1" material="m"/>')),
      asset('<texture name="t" type="2d" builtin="flat" width="8" height="8"/><material name="m" texture="t"/>'),
      asset(
        '<texture name="t" type="2d" builtin="flat" width="8" height="8"/><material name="m"><layer role="rgb" texture="t"/></material>',
      ),
      `<default><geom material="none"/></default>${world('<site/>')}`,
    ],
  },
  {
    rule: 'what a default class says of a material or tendon exists, even where they say otherwise',
    refused: [
      `<default><material texture="none"/></default>${asset(`${TEXTURE}<material name="m" texture="t"/>`)}`,
      `<default><material texture="none"/></default>${asset('<material name="m" texture=""/>')}`,
      `<default><tendon material="none"/></default>${asset('<material name="m"/>', fixed('material="m"'))}`,
    ],
    accepted: [
      `<default><material texture="none"/><default class="c"><material texture="t"/></default></default>
       ${asset(`${TEXTURE}<material name="m" class="c"/>`)}`,
      `<default><tendon material="none"/></default>`,
      `<default><geom material="none"/></default>${asset('<material name="m"/>', world('<geom size=".1" material="m"/>'))}`,
    ],
  },
  {
    rule: 'with discardvisual there are no materials and textures: geoms look for none, all else refers to nothing',
    refused: [
      `<compiler discardvisual="true"/>${asset('<material name="m"/>', world('<composite type="cable" count="5 1 1" curve="s" size="1"><geom type="box" size=".1 .1 .1"/><skin material="m"/></composite>'))}`,
      `<compiler discardvisual="true"/>${asset('<material name="m"/>', world('<flexcomp name="f" count="3 3 1" radius=".001" material="m"/>'))}`,
      `<compiler discardvisual="true"/>${asset('<material name="m"/>', `${world('<body><joint name="j"/><geom size=".1"/></body>')}<default><tendon material="m"/></default><tendon><fixed><joint joint="j" coef="1"/></fixed></tendon>`)}`,
      `<compiler discardvisual="true"/>${asset('<texture name="t" type="2d" builtin="flat" width="1" height="1"/>', world('<light texture="t"/>'))}`,
      `<compiler discardvisual="true"/>${asset('<material name="m"/>', '<custom><tuple name="t"><element objtype="material" objname="m"/></tuple></custom>')}`,
    ],
    accepted: [
      `<compiler discardvisual="true"/>${asset('<texture name="t" type="2d"/><material name="m" texture="t"/>', world('<geom size=".1" material="m"/>'))}`,
    ],
  },
  {
    rule: 'all assets but a skybox have names',
    refused: [
      asset(`<mesh ${TETRAHEDRON}/>`),
      asset('<texture builtin="flat" width="8" height="8"/>'),
      asset('<material/>'),
      asset('<hfield nrow="2" ncol="2" size="1 1 1 1"/>'),
    ],
    accepted: [asset('<texture type="skybox" builtin="flat" width="8" height="8"/>')],
  },
  {
    rule: 'a builtin texture has a width, and a height where it is 2d',
    refused: [
      asset('<texture name="t" builtin="flat"/>'),
      asset('<texture name="t" type="2d" builtin="flat" width="8"/>'),
      asset('<texture name="t" builtin="checker" width="-1" height="8"/>'),
    ],
    accepted: [
      asset('<texture name="t" builtin="flat" width="8"/>'),
      asset('<texture name="t" type="2d" builtin="flat" width="8" height="8"/>'),
    ],
  },
  {
    rule: 'a texture is made of something',
    refused: [
      asset('<texture name="t"/>'),
      asset('<texture name="t" type="2d"/>'),
      asset('<texture name="t" type="2d" fileright="a.png"/>'),
    ],
    accepted: [],
  },
  {
    rule: 'a height field has rows and columns or a file, and positive sizes',
    refused: [
      asset('<hfield name="h" size="1 1 1 1"/>'),
      asset('<hfield name="h" nrow="2" size="1 1 1 1"/>'),
      asset('<hfield name="h" nrow="2" ncol="2" size="1 1 1 0"/>'),
      asset('<hfield name="h" nrow="2" ncol="2" size="1 1 1 1" elevation="1 2 3"/>'),
      asset('<hfield name="h" file="" nrow="2" ncol="2" size="1 1 1 1"/>'),
    ],
    accepted: [
      asset('<hfield name="h" nrow="2" ncol="2" size="1 1 1 1" elevation="1 2 3 4"/>'),
      asset('<hfield name="h" nrow="1" ncol="1" size="1 1 1 1"/>'),
    ],
  },
  {
    rule: 'a mesh without a file has 4 vertices and faces among them',
    refused: [
      asset('<mesh name="m"/>'),
      asset('<mesh name="m" vertex="0 0 0 1 0 0 0 1 0"/>'),
      asset('<mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1 1"/>'),
      asset(`<mesh name="m" ${TETRAHEDRON} face="0 1"/>`),
      asset(`<mesh name="m" ${TETRAHEDRON} face="0 1 4"/>`),
      asset(`<mesh name="m" ${TETRAHEDRON} normal="0 0 1 0"/>`),
      asset('<mesh name="m" vertex="0 0 0 1 0 0 1 1 0 0 1 0"/>'),
      asset('<mesh name="m" vertex="0 0 0 1 0 0 1 1 0 0 1 0" face="0 1 2 0 2 3"/>'),
      asset('<mesh name="m" vertex="0 0 0 0 0 0 0 0 0 0 0 0"/>'),
      asset(`<mesh name="m" ${TETRAHEDRON} face="0 1 2"/>`),
      asset(`<mesh name="m" ${TETRAHEDRON} face="0 1 2 2 1 0"/>`),
      asset(`<mesh name="m" ${TETRAHEDRON} face="0 0 0"/>`),
      asset('<mesh name="m" vertex="0 0 0 1 1 1 2 2 2 3 3 3"/>'),
      asset(`<mesh name="m" scale="0 1 1" ${TETRAHEDRON}/>`),
      asset(`<mesh name="m" refquat="0 0 0 0" ${TETRAHEDRON}/>`),
      asset(`<mesh name="m" texcoord="0 0 1 0" ${TETRAHEDRON}/>`),
      asset(`<mesh name="m" material="none" ${TETRAHEDRON}/>`, world('<geom type="mesh" mesh="m"/>')),
    ],
    accepted: [
      asset(`<mesh name="m" scale="0 1 1" inertia="shell" ${TETRAHEDRON}/>`),
      asset(`<mesh name="m" ${TETRAHEDRON} face="0 1 2" inertia="shell"/>`),
      asset(`<mesh name="m" ${TETRAHEDRON} face="0 1 2" inertia="convex"/>`),
      asset(`<mesh name="m" ${TETRAHEDRON} face="0 1 2 0 1 3"/>`),
      asset('<mesh name="m" inertia="shell" vertex="0 0 0 1 0 0 1 1 0 0 1 0" face="0 1 2 0 2 3"/>'),
      asset('<mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1e-3"/>'),

      asset(`<mesh name="m" ${TETRAHEDRON}/>`),
      asset(`<mesh name="m" ${TETRAHEDRON} face="0 2 1 0 1 3 0 3 2 1 2 3"/>`),
    ],
  },
  {
    rule: 'a builtin mesh has the params of its kind',
    refused: [
      asset('<mesh name="m" builtin="sphere" params="5"/>'),
      asset('<mesh name="m" builtin="sphere" params="1 1"/>'),
      asset('<mesh name="m" builtin="hemisphere" params="11"/>'),
      asset('<mesh name="m" builtin="supersphere" params="2 1 1"/>'),
      asset('<mesh name="m" builtin="supertorus" params="10 2 1 1"/>'),
      asset('<mesh name="m" builtin="wedge" params="5 5 200 40 0"/>'),
      asset('<mesh name="m" builtin="plate" params="0 1"/>'),
      asset('<mesh name="m" builtin="plate" params="nan"/>'),
      asset('<mesh name="m" builtin="wedge" params="5 5 nan 40 0"/>'),
      asset('<mesh name="m" builtin="cone" params="5"/>'),
      asset('<mesh name="m" builtin="cone" params="2 0"/>'),
      asset('<mesh name="m" builtin="plate" params="1 4"/>'),
      asset('<mesh name="m" builtin="wedge" params="3 1 10 10 0"/>'),
      asset('<mesh name="m" builtin="none" params="1"/>'),
    ],
    accepted: [
      asset('<mesh name="m" builtin="sphere" params="2"/>'),
      asset('<mesh name="m" builtin="sphere" params="nan"/>'),
      asset('<mesh name="m" builtin="hemisphere" params="3"/>'),
      asset('<mesh name="m" builtin="supersphere" params="10 1 1"/>'),
      asset('<mesh name="m" builtin="supertorus" params="10 .5 1 1"/>'),
      asset('<mesh name="m" builtin="wedge" params="5 5 90 40 0"/>'),
      asset('<mesh name="m" builtin="plate" params="4 4"/>'),
      asset('<mesh name="m" builtin="cone" params="5 .5"/>'),
      asset('<mesh name="m" builtin="cone" params="5 -1"/>'),
    ],
  },
  {
    rule: 'a skin has vertices, faces and bones of bodies that exist',
    refused: [
      skin(''),
      skin(TRIANGLE, ''),
      skin(`${TRIANGLE.replace('0 1 2', '0 1')}`),
      skin(TRIANGLE, '<bone body="none" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2" vertweight="1 1 1"/>'),
      skin(TRIANGLE, '<bone body="b" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2" vertweight="1 1"/>'),
      skin(TRIANGLE, '<bone body="b" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 3" vertweight="1 1 1"/>'),
      skin(TRIANGLE, '<bone body="b" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1" vertweight="1 1"/>'),
      skin(`${TRIANGLE} texcoord="0 0"`),
    ],
    accepted: [skin(TRIANGLE), skin(`${TRIANGLE} texcoord="0 0 0 0 0 0"`)],
  },
  {
    rule: 'a tuple holds what exists, by names without blanks',
    refused: [
      '<custom><tuple name="t"/></custom>',
      '<custom><tuple name="t"><element objtype="body" objname="none"/></tuple></custom>',
      '<custom><tuple name="t"><element objtype="dof" objname="world"/></tuple></custom>',
      '<custom><tuple name="t"><element objtype="body" objname=""/></tuple></custom>',
      `${world('<body name=" b"/>')}<custom><tuple name="t"><element objtype="body" objname=" b"/></tuple></custom>`,
    ],
    accepted: [
      '<custom><tuple name="t"><element objtype="body" objname="world"/></tuple></custom>',
      '<custom><numeric name="n" data="1"/><tuple name="t"><element objtype="numeric" objname="n"/></tuple></custom>',
    ],
  },
  {
    rule: 'a keyframe has no more numbers than there are things to set; MuJoCo fills up what is short',
    refused: [
      keyed(`<key qpos="${numbers(13)}"/>`),
      keyed(`<key qvel="${numbers(12)}"/>`),
      keyed('<key act="1 2"/>'),
      keyed('<key mpos="1 2 3 4"/>'),
    ],
    accepted: [
      keyed(`<key qpos="${numbers(12)}" qvel="${numbers(10)}" act="1" ctrl="1 2" mpos="1 2 3" mquat="1 0 0 0"/>`),
      keyed('<key/>'),
      keyed('<key mquat="1 0 0"/>'),
      keyed('<key ctrl="1"/>'),
      keyed('<key qpos="1"/>'),
      keyed('<key qpos=""/>'),
    ],
  },
]
