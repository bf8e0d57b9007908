import { onBody, type RuleCase, world } from './rule-case.ts'

const moving = (inner: string) => world(`<body><joint/>${inner}</body>`)

/** Mass and inertia. */
export const INERTIA_CASES: readonly RuleCase[] = [
  {
    rule: 'a body that moves has mass and inertia, or one fixed to it does',
    refused: [
      moving(''),
      moving('<geom size=".1" mass="0"/>'),
      moving('<geom size=".1" density="0"/>'),
      moving('<geom type="plane" size="1 1 1" contype="0"/>')
        .replace('plane', 'sphere')
        .replace('size="1 1 1"', 'size="1e-9"'),
      moving('<inertial pos="0 0 0" mass="1"/>'),
      moving('<inertial pos="0 0 0" mass="0" diaginertia="1 1 1"/>'),
      moving('<body><joint/><geom size=".1"/></body>'),
      moving('<body><body/></body>'),
      `<compiler inertiafromgeom="false"/>${moving('<geom size=".1"/>')}`,
      `<compiler inertiagrouprange="0 1"/>${moving('<geom size=".1" group="2"/>')}`,
      `<default><geom mass="0"/></default>${moving('<geom size=".1"/>')}`,
      world('<body><freejoint/></body>'),
      moving('<frame><body/></frame>'),
    ],
    accepted: [
      moving('<geom size=".1"/>'),
      moving('<geom size=".1" mass="1"/>'),
      moving('<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'),
      moving('<body><geom size=".1"/></body>'),
      moving('<body><body><geom size=".1"/></body></body>'),
      moving('<frame><geom size=".1"/></frame>'),
      moving('<geom size=".1" mass="0"/><geom size=".1"/>'),
      `<compiler boundmass="1" boundinertia="1"/>${moving('')}`,
      `<compiler inertiafromgeom="true"/>${moving('<inertial pos="0 0 0" mass="0"/><geom size=".1"/>')}`,
      `<compiler inertiagrouprange="2 3"/>${moving('<geom size=".1" group="2"/>')}`,
      `<compiler fusestatic="true"/>${moving('<body><geom size=".1"/></body>')}`,
      `<compiler fusestatic="true"/>${moving('<body name="b"><geom size=".1"/></body>')}`,
      moving('<geom type="capsule" size=".1 .1" shellinertia="true"/>'),
      moving('<geom type="ellipsoid" size=".1 .1 .1" shellinertia="true"/>'),
      moving('<geom type="cylinder" size=".01 .1"/>'),
      moving('<geom type="box" size=".01 .1 .1"/>'),
      `<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>${moving('<geom type="mesh" mesh="m"/>')}`,
    ],
  },
  {
    rule: 'mass, density and inertia are not negative',
    refused: [
      `<compiler boundmass="-1"/>${world('<body><inertial pos="0 0 0" mass="-.5" diaginertia="1 1 1"/></body>')}`,
      moving('<inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/>'),
      moving('<inertial pos="0 0 0" mass="1" diaginertia="-1 1 1"/>'),
      onBody('<geom size=".1" mass="-1"/>'),
      onBody('<geom size=".1" density="-1"/>'),
    ],
    accepted: [
      world('<geom size=".1" mass="-1"/>'),
      world('<body><inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/></body>'),
      onBody('<geom size=".1" mass="1" density="-1"/>'),
      world('<body><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom size=".1" mass="-1"/></body>'),
      `<compiler boundinertia=".1"/>${world('<body><inertial pos="0 0 0" mass="1" diaginertia="-1 .1 .1"/></body>')}`,
    ],
  },
  {
    rule: 'no principal inertia is more than the two others together',
    refused: [
      world('<body><inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/></body>'),
      world('<body><inertial pos="0 0 0" mass="1" fullinertia="1 1 3 0 0 0"/></body>'),
      world('<body><inertial pos="0 0 0" mass="1" fullinertia="1 1 1 .9 0 0"/></body>'),
      world('<body><inertial pos="0 0 0" mass="1" fullinertia="2e-4 3e-4 4e-4 2.4e-4 9e-5 9e-5"/></body>'),
      world('<body><inertial pos="0 0 0" mass="1" fullinertia=".557289 .408957 1e-14 0 0 0"/></body>'),
    ],
    accepted: [
      // As thin as a plate: rounding decides, and the reader reports nothing.
      moving(
        '<inertial pos="0 0 0" mass="1" fullinertia="1.822869199515794e-13 7.657017491430268e-13 7.056479680904914e-13 -1.736615535265924e-13 2.6712355291064845e-13 5.973108317869717e-14"/>',
      ),
      world('<body><inertial pos="0 0 0" mass="1" diaginertia="1 1 2"/></body>'),
      world('<body><inertial pos="0 0 0" mass="1" fullinertia="1 1 1 .1 0 0"/></body>'),
      `<compiler balanceinertia="true"/>${world('<body><inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/></body>')}`,
      `<compiler inertiafromgeom="true"/>${onBody('<inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/>')}`,
    ],
  },
  {
    rule: 'a fullinertia is positive definite and stands without diaginertia',
    refused: [
      world('<body><inertial pos="0 0 0" mass="1" fullinertia="1 1 0 0 0 0"/></body>'),
      world('<body><inertial pos="0 0 0" mass="1" fullinertia="1 1 1 2 0 0"/></body>'),
      world('<body><inertial pos="0 0 0" mass="1" fullinertia="0 0 0 0 0 0"/></body>'),
      world('<body><inertial pos="0 0 0" mass="1" fullinertia="1 1 1 0 0 0" diaginertia="1 1 1"/></body>'),
    ],
    accepted: [
      world('<body><inertial pos="0 0 0" mass="1" fullinertia="1 1 1 0 0 0"/></body>'),
      world('<body><inertial pos="0 0 0" mass="1" fullinertia="1 1 1 0 0 0" diaginertia="0 0 0"/></body>'),
    ],
  },
  {
    rule: 'what is not a number is not an inertia for what moves, and bounds nothing',
    refused: [
      ...['inf 1 1 0 0 0', '1 nan 1 0 0 0', '1 1 1 0 0 nan', 'inf inf inf 0 0 0'].map((full) =>
        moving(`<inertial pos="0 0 0" mass="1" fullinertia="${full}"/>`),
      ),
      `<compiler boundinertia="1"/>${moving('<inertial pos="0 0 0" mass="1" fullinertia="inf 1 1 0 0 0"/>')}`,
      moving('<geom size="inf"/><geom size=".1"/>'),
      moving('<geom size=".1" mass="inf"/><geom size=".1"/>'),
      `<compiler boundmass="nan" boundinertia="1"/>${moving('<geom size=".1" mass="0"/>')}`,
    ],
    accepted: [
      `<compiler boundinertia="nan"/>${moving('<geom size=".1"/>')}`,
      `<compiler boundmass="nan"/>${moving('<geom size=".1"/>')}`,
      moving('<geom size=".1" mass="inf"/>'),
      world('<body><geom size="inf"/><geom size=".1"/></body>'),
      world('<body><inertial pos="0 0 0" mass="1" fullinertia="inf 1 1 0 0 0"/></body>'),
      world('<body><inertial pos="0 0 0" mass="1" fullinertia="1 nan 1 0 0 0"/></body>'),
    ],
  },
]
