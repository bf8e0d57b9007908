import { body, onBody, type RuleCase, world } from './rule-case.ts'

/** Bodies, joints, geoms, sites, cameras and lights. */
export const TREE_CASES: readonly RuleCase[] = [
  {
    rule: 'a limited joint has an ascending range',
    refused: [
      onBody('<joint limited="true" range="1 0"/>'),
      onBody('<joint limited="true"/>'),
      onBody('<joint limited="true" range="1 1"/>'),
      `<default><joint limited="true"/></default>${onBody('<joint name="j"/>')}`,
    ],
    accepted: [
      onBody('<joint range="1 0"/>'),
      onBody('<joint range="0 1"/>'),
      onBody('<joint limited="false" range="1 0"/>'),
      onBody('<joint type="free" limited="true"/>'),
      `<default><joint range="-1 1"/></default>${onBody('<joint limited="true"/>')}`,
    ],
  },
  {
    rule: 'without autolimits a range says whether it limits',
    refused: [
      `<compiler autolimits="false"/>${onBody('<joint range="0 1"/>')}`,
      `<compiler autolimits="false"/>${onBody('<joint actuatorfrcrange="-1 1"/>')}`,
      `<compiler autolimits="false"/>${onBody('<joint type="ball" range="0 1"/>')}`,
    ],
    accepted: [
      `<compiler autolimits="false"/>${onBody('<joint range="0 1" limited="false"/>')}`,
      `<compiler autolimits="false"/>${onBody('<joint range="0 0"/>')}`,
      `<compiler autolimits="false"/>${onBody('<joint type="free" range="0 1"/>')}`,
      `<compiler autolimits="false"/>${onBody('<joint type="ball" actuatorfrcrange="0 1"/>')}`,
    ],
  },
  {
    rule: 'the range of a ball joint begins with 0',
    refused: [onBody('<joint type="ball" range="1 2"/>')],
    accepted: [onBody('<joint type="ball" range="0 2"/>'), onBody('<joint type="ball" limited="true"/>')],
  },
  {
    rule: 'the force range of a joint ascends',
    refused: [
      onBody('<joint actuatorfrclimited="true" actuatorfrcrange="1 -1"/>'),
      onBody('<joint actuatorfrclimited="true"/>'),
    ],
    accepted: [
      onBody('<joint actuatorfrcrange="1 -1"/>'),
      onBody('<joint actuatorfrcrange="1 2"/>'),
      onBody('<joint type="ball" actuatorfrclimited="true"/>'),
    ],
  },
  {
    rule: 'both numbers of springdamper are positive',
    refused: [
      onBody('<joint springdamper="1 0"/>'),
      onBody('<joint springdamper="-1 1"/>'),
      onBody('<joint type="free" springdamper="-1 1"/>'),
    ],
    accepted: [onBody('<joint springdamper="0 0"/>'), onBody('<joint springdamper="1 1"/>')],
  },
  {
    rule: 'the axis of a hinge or slide has a length',
    refused: [onBody('<joint axis="0 0 0"/>'), onBody('<joint type="slide" axis="1e-7 0 0"/>')],
    accepted: [onBody('<joint axis="0 0 2e-7"/>'), onBody('<joint type="ball" axis="0 0 0"/>')],
  },
  {
    rule: 'a body has 6 degrees of freedom at most, and no rotation after a ball',
    refused: [
      onBody('<joint/><joint/><joint/><joint/><joint/><joint/><joint/>'),
      onBody('<joint type="ball"/><joint/>'),
      onBody('<joint type="ball"/><joint type="slide"/><joint type="ball"/>'),
    ],
    accepted: [
      onBody('<joint/><joint/><joint/><joint/><joint/><joint/>'),
      onBody('<joint/><joint type="ball"/><joint type="slide"/>'),
    ],
  },
  {
    rule: 'a mocap body is a child of world without joints',
    refused: [world('<body mocap="true"><geom size=".1"/><joint/></body>'), world('<body><body mocap="true"/></body>')],
    accepted: [
      world('<body mocap="true"><geom size=".1"/></body>'),
      world('<body mocap="true"><body><geom size=".1"/><joint/></body></body>'),
    ],
  },
  {
    rule: 'a geom has as many positive sizes as its type needs',
    refused: [
      world('<geom/>'),
      world('<geom size="0"/>'),
      world('<geom size="-1"/>'),
      world('<geom type="capsule" size=".1"/>'),
      world('<geom type="box" size=".1 .1"/>'),
      world('<geom type="ellipsoid" size=".1 .1 0"/>'),
      world('<geom type="cylinder" size=".1"/>'),
      world('<geom type="plane"/>'),
      world('<geom type="box" size="nan 1 1"/>'),
      world('<geom size="1 nan"/>'),
      world('<geom size="1 1 nan"/>'),
      world('<geom type="plane" size="1 1 0"/>'),
    ],
    accepted: [
      world('<geom size=".1"/>'),
      world('<geom type="plane" size="0 0 1"/>'),
      world('<geom type="plane" size="-1 -1 1"/>'),
      world('<geom type="capsule" size=".1 .1"/>'),
      world('<geom type="box" size=".1 .1 .1"/>'),
      `<default><geom type="box" size=".1 .2 .3"/></default>${world('<geom size=".5"/>')}`,
    ],
  },
  {
    rule: 'a fromto makes a capsule, cylinder, ellipsoid or box between two points',
    refused: [
      world('<geom size=".1" fromto="0 0 0 0 0 1"/>'),
      world('<geom type="plane" size="1 1 1" fromto="0 0 0 0 0 1"/>'),
      world('<geom type="capsule" fromto="0 0 0 0 0 1"/>'),
      world('<geom type="capsule" size=".1" fromto="0 0 1 0 0 1"/>'),
      world('<geom type="capsule" size=".1" fromto="0 0 0 0 0 1" pos="1 0 0"/>'),
      world('<site fromto="0 0 0 0 0 1"/>'),
      world('<site type="capsule" fromto="0 0 0 0 0 0"/>'),
    ],
    accepted: [
      world('<geom type="capsule" size=".1" fromto="0 0 0 0 0 1"/>'),
      world('<geom type="box" size=".1" fromto="0 0 0 0 0 1"/>'),
      world('<geom type="capsule" size=".1" fromto="0 0 0 0 0 1" pos="0 0 0"/>'),
      world('<geom type="capsule" size=".1" fromto="0 0 0 0 0 1" zaxis="0 0 0"/>'),
      world('<geom type="capsule" size=".1 .1" fromto="nan 0 0 0 0 0"/>'),
      world('<site type="capsule" fromto="0 0 0 0 0 1"/>'),
    ],
  },
  {
    rule: 'condim is 1, 3, 4 or 6',
    refused: [world('<geom size=".1" condim="2"/>'), world('<geom size=".1" condim="0"/>')],
    accepted: [world('<geom size=".1" condim="6"/>')],
  },
  {
    rule: 'a mesh geom names a mesh, and only an hfield geom names an hfield',
    refused: [
      world('<geom type="mesh"/>'),
      world('<geom type="sdf"/>'),
      world('<geom type="mesh" mesh="none"/>'),
      world('<geom type="hfield"/>'),
      world('<geom type="hfield" hfield="none"/>'),
      `<asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset>${world('<geom size="1" hfield="h"/>')}`,
    ],
    accepted: [
      `<asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset>${world('<geom type="hfield" hfield="h"/>')}`,
      `<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>${world('<geom type="mesh" mesh="m"/>')}`,
      `<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>${world('<geom type="box" mesh="m"/>')}`,
      `<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>${world('<geom mesh="m"/>')}`,
    ],
  },
  {
    rule: 'a geom fitted to a mesh is a primitive without fromto, and a mesh says its inertia itself',
    refused: [
      `<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>${world('<geom type="plane" size="1 1 1" mesh="m"/>')}`,
      `<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>${world('<geom type="capsule" size=".1" mesh="m" fromto="0 0 0 0 0 1"/>')}`,
      `<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>${onBody('<geom type="mesh" mesh="m" shellinertia="true"/>')}`,
    ],
    accepted: [
      `<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>${onBody('<geom type="box" mesh="m" shellinertia="true"/>')}`,
    ],
  },
  {
    rule: 'a plane stands still',
    refused: [
      onBody('<joint/><geom type="plane" size="1 1 1"/>'),
      onBody(`<joint/>${body('<geom type="plane" size="1 1 1"/>')}`),
    ],
    accepted: [
      onBody('<geom type="plane" size="1 1 1"/>'),
      world(
        '<body mocap="true"><geom type="plane" size="1 1 1"/><body><geom type="plane" size="1 1 1"/></body></body>',
      ),
    ],
  },
  {
    rule: 'a site is not an hfield or plane, has positive sizes, and is a mesh where it names one',
    refused: [
      world('<site type="plane"/>'),
      world('<site type="mesh"/>'),
      world('<site type="hfield"/>'),
      world('<site size="0"/>'),
      world('<site type="box" size=".1 0 .1"/>'),
      world('<site type="mesh" mesh="none"/>'),
      `<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>${world('<site type="box" mesh="m"/>')}`,
      `<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>${world('<site type="mesh" mesh="m" fromto="0 0 0 1 0 0"/>')}`,
    ],
    accepted: [
      world('<site/>'),
      world('<site type="box"/>'),
      world('<site type="box" size=".1"/>'),
      world('<site type="sdf"/>'),
      `<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>${world('<site type="mesh" mesh="m" size="0"/>')}`,
    ],
  },
  {
    rule: 'a rotation needs axes with lengths',
    refused: [
      onBody('<geom size=".1" zaxis="0 0 0"/>'),
      onBody('<geom size=".1" axisangle="0 0 0 1"/>'),
      onBody('<geom size=".1" xyaxes="1 0 0 2 0 0"/>'),
      onBody('<geom size=".1" xyaxes="0 0 0 1 0 0"/>'),
      world(body('', 'zaxis="0 0 0"')),
      world('<frame zaxis="0 0 0"><geom size=".1"/></frame>'),
      world('<frame zaxis="0 0 0"/>'),
      onBody('<site zaxis="0 0 0"/>'),
      onBody('<camera zaxis="0 0 0"/>'),
      world('<body><inertial pos="0 0 0" mass="1" zaxis="0 0 0"/></body>'),
      `<default><geom zaxis="0 0 0"/></default>${world('<geom size=".1" quat="1 0 0 0"/>')}`,
    ],
    accepted: [
      onBody('<geom size=".1" xyaxes="1 0 0 1 1 0"/>'),
      onBody('<geom size=".1" euler="1 2 3"/>'),
      onBody('<geom size=".1" zaxis=""/>'),
      `<default><geom zaxis="0 0 0"/></default>${world('<geom size=".1" euler="1 0 0"/>')}`,
    ],
  },
  {
    rule: 'an eulerseq is of x, y, z where euler angles are used',
    refused: [`<compiler eulerseq="abc"/>${onBody('<geom size=".1" euler="1 0 0"/>')}`],
    accepted: [
      `<compiler eulerseq="abc"/>${onBody('<geom size=".1"/>')}`,
      `<compiler eulerseq="xYz"/>${onBody('<geom size=".1" euler="1 0 0"/>')}`,
    ],
  },
  {
    rule: 'a camera sees less than a half space, through a sensor that it has',
    refused: [
      world('<camera fovy="180"/>'),
      world('<camera focal="1 1"/>'),
      world('<camera principalpixel="1 1"/>'),
      world('<camera focal="1 1" sensorsize="1 1" resolution="0 0"/>'),
      world('<camera target="none" mode="targetbody"/>'),
    ],
    accepted: [
      world('<camera fovy="179"/>'),
      world('<camera focal="1 1" sensorsize="1 1" resolution="10 10"/>'),
      world('<camera focal="1 1" sensorsize="1 1"/>'),
      world('<camera sensorsize="0 1" resolution="0 0"/>'),
      world('<camera mode="targetbody"/>'),
      world('<camera target="world" mode="targetbody"/>'),
    ],
  },
  {
    rule: 'a light has a direction and a softness of 0 to 1',
    refused: [
      world('<light dir="0 0 0"/>'),
      world('<light softness="2"/>'),
      world('<light softness="-.1"/>'),
      world('<light target="none"/>'),
      world('<light texture="none"/>'),
    ],
    accepted: [world('<light dir="0 0 -2"/>'), world('<light softness="1"/>'), world('<light mode="targetbody"/>')],
  },
  {
    rule: 'only the topmost moving body of a tree has a sleep policy',
    refused: [
      world(body('', 'sleep="never"')),
      onBody(`<joint/>${body('<joint/>', 'sleep="never"')}`),
      onBody(`<joint/>${body('', 'sleep="never"')}`),
    ],
    accepted: [
      world(body('<joint/>', 'sleep="never"')),
      onBody(body('<joint/>', 'sleep="never"')),
      world(body('', 'sleep="auto"')),
    ],
  },
  {
    rule: 'user numbers have room',
    refused: [
      `<size nuser_geom="1"/>${world('<geom size=".1" user="1 2"/>')}`,
      `<size nuser_jnt="0"/>${onBody('<joint user="1"/>')}`,
      `<size nuser_body="1"/>${world('<body user="1 2"/>')}`,
      `<size nuser_site="1"/>${world('<site user="1 2"/>')}`,
      `<size nuser_cam="1"/>${world('<camera user="1 2"/>')}`,
    ],
    accepted: [
      `<size nuser_geom="2"/>${world('<geom size=".1" user="1 2"/>')}`,
      `<size nuser_geom="-1"/>${world('<geom size=".1" user="1 2"/>')}`,
      world('<geom size=".1" user="1 2"/>'),
    ],
  },
  {
    rule: 'a plugin is named',
    refused: [
      world('<plugin/>'),
      onBody('<geom size=".1"><plugin/></geom>'),
      world('<body><plugin plugin=""/></body>'),
    ],
    accepted: [],
  },
]
