import { actuator, asset, cable, custom, flexcomp, geom, model, world } from './documents.ts'
import type { GrammarCase } from './number-cases.ts'

const point = 'vertex="0 0 0 1 0 0 0 1 0 0 0 1"'

/** Requirements of elements beyond names and types. */
export const ELEMENT_CASES: readonly GrammarCase[] = [
  {
    rule: 'an empty list of numbers is an absent one',
    refused: [
      world('<body><inertial pos="" mass="1" diaginertia="1 1 1"/></body>'),
      asset('<hfield name="h" size=" "/>'),
    ],
    accepted: [geom('pos=""'), geom('quat="" pos=" "')],
  },
  {
    rule: 'keywords are exact',
    refused: [
      geom('type="Sphere"'),
      geom('type=" sphere"'),
      geom('type=""'),
      model('<compiler autolimits="1"/>'),
      cable('initial="slide"'),
    ],
    accepted: [geom('type="sphere"'), cable('curve="s" initial="ball"')],
  },
  {
    rule: 'flags are different words in any white space',
    refused: [world('<camera output="rgb rgb"/>'), world('<camera output="rgb, depth"/>')],
    accepted: [world('<camera output=" depth  rgb "/>'), world('<camera output=""/>')],
  },
  {
    rule: 'a rotation is written in one way, and is not a quat of zeros',
    refused: [
      geom('quat="0 0 0 0"'),
      geom('quat="" euler="1 2 3"'),
      geom('zaxis="1 0 0" euler="1 0 0"'),
      world('<frame quat="0 0 0 0"/>'),
      world('<body axisangle="1 0 0 0" quat="1 0 0 0"/>'),
      model('<default><site quat="0 0 0 0"/></default>'),
      flexcomp('quat="1 0 0 0" euler="1 0 0"'),
    ],
    accepted: [geom('quat="1 0 0 0" euler=""'), cable('curve="s" quat="0 0 0 0"'), flexcomp('quat="0 0 0 0"')],
  },
  {
    rule: 'settings that must be positive are',
    refused: [
      model('<statistic extent="0"/>'),
      model('<visual><global realtime="-1"/></visual>'),
      model('<visual><map znear="0"/></visual>'),
      model('<sensor><contact num="0"/></sensor>'),
    ],
    accepted: [
      model('<statistic extent="1e-9"/>'),
      model('<statistic extent="nan"/>'),
      model('<visual><map zfar="0"/></visual>'),
    ],
  },
  {
    rule: 'sizes are at least -1, and memory is a byte count',
    refused: [
      'nuser_body="-2"',
      'nstack="-2"',
      'memory="1 K"',
      'memory="1.5"',
      'memory="5X"',
      'memory="-2"',
      'memory=""',
      'memory="16E"',
      'memory="5KK"',
    ].map((size) => model(`<size ${size}/>`)),
    accepted: ['nuser_body="-1"', 'nkey="-2"', 'memory=" 64M "', 'memory="64m"', 'memory="-1"'].map((size) =>
      model(`<size ${size}/>`),
    ),
  },
  {
    rule: 'groups of actuators to disable are 0 to 30',
    refused: ['-1', '31', '1 -1'].map((groups) => model(`<option actuatorgroupdisable="${groups}"/>`)),
    accepted: ['', '0 1 30'].map((groups) => model(`<option actuatorgroupdisable="${groups}"/>`)),
  },
  {
    rule: 'euler sequences have three characters, whichever, and coordinates are local',
    refused: ['eulerseq="xy"', 'eulerseq="xyzx"', 'eulerseq=""', 'coordinate="global"'].map((setting) =>
      model(`<compiler ${setting}/>`),
    ),
    accepted: ['eulerseq="xYz"', 'eulerseq="abc"', 'coordinate="local"'].map((setting) =>
      model(`<compiler ${setting}/>`),
    ),
  },
  {
    rule: 'layers of a material have a role and a texture, and exclude a texture of its own',
    refused: [
      asset('<material name="m"><layer role="none" texture="t"/></material>'),
      asset('<material name="m"><layer role="rgb"/></material>'),
      asset('<material name="m" texture=""><layer role="rgb" texture=""/></material>'),
    ],
    accepted: [asset('<material name="m"><layer role="rgb" texture=""/></material>')],
  },
  {
    rule: 'a grid layout has a character for each cell',
    refused: [
      asset('<texture name="t" builtin="flat" width="8" height="8" gridlayout="RR"/>'),
      asset('<texture name="t" builtin="flat" width="8" height="8" gridlayout=""/>'),
      asset('<texture name="t" builtin="flat" width="8" height="48" gridsize="3 4" gridlayout=".U..LFRB.D..."/>'),
    ],
    accepted: [asset('<texture name="t" builtin="flat" width="8" height="48" gridsize="1 2" gridlayout="RL"/>')],
  },
  {
    rule: 'heights of a height field are read where it has no file, and are as many as its cells',
    refused: [
      asset('<hfield name="h" nrow="2" ncol="2" size="1 1 1 1" elevation="1 2 3"/>'),
      asset('<hfield name="h" nrow="2" ncol="2" size="1 1 1 1" elevation="1 x"/>'),
    ],
    accepted: [
      asset('<hfield name="h" nrow="2" ncol="2" size="1 1 1 1" elevation="1 2 3 4"/>'),
      asset('<hfield name="h" nrow="2" ncol="2" size="1 1 1 1" elevation=""/>'),
    ],
  },
  {
    rule: 'a mesh that MuJoCo makes has parameters, and another one may say anything there',
    refused: [
      asset('<mesh name="m" builtin="sphere"/>'),
      asset('<mesh name="m" builtin="sphere" params="x"/>'),
      asset(`<mesh name="m" maxhullvert="3" ${point}/>`),
    ],
    accepted: [
      asset('<mesh name="m" builtin="sphere" params="3"/>'),
      asset(`<mesh name="m" params="x" ${point}/>`),
      asset(`<mesh name="m" maxhullvert="-1" ${point}/>`),
    ],
  },
  {
    rule: 'a curve has up to three shapes, and a blank at its end repeats the last',
    refused: ['s 0 0 0', 's 0 0 ', ' ', 'line'].map((curve) => cable(`curve="${curve}"`)),
    accepted: ['s 0 0', 's 0 ', ' s', 'cos(s) sin(s) 0'].map((curve) => cable(`curve="${curve}"`)),
  },
  {
    rule: 'custom fields say something',
    refused: [
      '<numeric name="n"/>',
      '<numeric name="n" size="501"/>',
      '<numeric name="n" size="2" data="1 2 3"/>',
      '<numeric name="n" size="0"/>',
      '<text name="t" data=""/>',
      '<text data="x"/>',
      '<tuple name="t"><element objtype="frame" objname="x"/></tuple>',
    ].map(custom),
    accepted: [
      '<numeric name="n" size="500"/>',
      '<numeric name="n" size="501" data="1 2"/>',
      '<text name="t" data=" "/>',
      '<tuple name="t"/>',
    ].map(custom),
  },
  {
    rule: 'words with an order keep it',
    refused: [
      model('<sensor><contact data="force found"/></sensor>'),
      world('<site name="s"/>').replace(
        '</mujoco>',
        '<sensor><rangefinder site="s" data="dir dist"/></sensor></mujoco>',
      ),
      actuator('<pid joint="j" kp="1" input="vel pos"/>'),
      actuator('<general joint="j" input="quat pos"/>'),
    ],
    accepted: [
      model('<sensor><contact data="found force"/></sensor>'),
      actuator('<pid joint="j" kp="1" input="pos vel"/>'),
      actuator('<motor joint="j"/>'),
    ],
  },
  {
    rule: 'parts of a transmission go with their own transmission',
    refused: [
      actuator('<motor joint="j" cranklength="1"/>'),
      actuator('<motor joint="j" slidersite="s"/>'),
      actuator('<motor joint="j" refsite="s"/>'),
    ],
    accepted: [actuator('<motor site="s" refsite="s"/>'), actuator('<motor joint="j" cranklength=""/>')],
  },
  {
    rule: 'an actuator of a slider-crank may also name a joint, when the crank is named',
    refused: [],
    accepted: [actuator('<motor cranksite="s" slidersite="s" cranklength="1" joint="j"/>')],
  },
  {
    rule: 'settings of a plugin have a key and a value and differ, where the plugin is read and names no instance',
    refused: [
      geom('').replace('/>', '><plugin><config value="v"/></plugin></geom>'),
      geom('').replace('/>', '><plugin instance=""><config key="k"/></plugin></geom>'),
      geom('').replace('/>', '><plugin><config key="k" value="1"/><config key="k" value="2"/></plugin></geom>'),
    ],
    accepted: [
      geom('').replace('/>', '><plugin/><plugin><config/></plugin></geom>'),
      geom('').replace('/>', '><plugin instance="i"><config/><config/></plugin></geom>'),
    ],
  },
  {
    rule: 'the edges of a flexcomp are held in one way, and a solid from a mesh has an origin',
    refused: [
      flexcomp('dim="2"', '<edge equality="true"/><elasticity young="1"/>'),
      flexcomp('dim="3"').replace('type="grid"', 'type="mesh"'),
    ],
    accepted: [flexcomp('dim="2"', '<edge equality="true"/>')],
  },
  {
    rule: 'the world body has no attributes and nothing that moves, also through frames',
    refused: [
      model('<worldbody name="w"/>'),
      world('<joint/>'),
      world('<frame><freejoint/></frame>'),
      world('<frame><frame><inertial pos="0 0 0" mass="1"/></frame></frame>'),
    ],
    accepted: [world('<body><frame><joint/></frame><geom size=".1"/></body>')],
  },
  {
    rule: 'inside a frame or replicate MuJoCo sees neither unknown attributes nor repeated elements',
    refused: [
      world('<body><geom size=".1" colour="red"/></body>'),
      world('<frame><box/></frame>'),
      world('<frame><geom size="x"/></frame>'),
      world('<frame><worldbody/></frame>'),
      world('<replicate><geom size=".1"/></replicate>'),
    ],
    accepted: [
      world('<frame colour="red"><geom size=".1" colour="red"><paint/></geom></frame>'),
      world('<body><frame><body><geom size=".1" colour="red"/></body></frame></body>'),
      world('<frame><light directional="true" type="spot"/></frame>'),
      world('<replicate count="2" colour="red"><geom size=".1"/></replicate>'),
      world(
        '<body><frame><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></frame></body>',
      ),
    ],
  },
  {
    rule: 'bodies beside the world body are held against the grammar and not read',
    refused: [
      model('<frame colour="red"/>'),
      model('<body><paint/></body>'),
      world('<worldbody/>'),
      world('<body><worldbody/></body>'),
      model('<mujoco/>'),
    ],
    accepted: [
      model('<body pos="x"/>'),
      model('<frame/>'),
      model('<replicate/>'),
      model('<body><frame><paint/></frame></body>'),
    ],
  },
  {
    rule: 'the root may declare and use namespaces, no other element may',
    refused: [model('<compiler xmlns="x"/>'), '<mujoco xmlnsx="a"/>', model('<compiler a:b="x"/>')],
    accepted: ['<mujoco xmlns="a" xmlns:b="c" b:model="x"/>'],
  },
]
