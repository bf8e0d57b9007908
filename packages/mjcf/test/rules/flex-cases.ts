import { type RuleCase, world } from './rule-case.ts'

const comp = (attributes: string, inner = '') =>
  world(`<flexcomp name="f" radius=".01" ${attributes}>${inner}</flexcomp>`)
const solid = (inner = '', attributes = '') =>
  comp(`type="grid" count="3 3 3" dim="3" spacing=".1 .1 .1" ${attributes}`, inner)
const cloth = (inner = '', attributes = '') =>
  comp(`type="grid" count="3 3 1" dim="2" spacing=".1 .1 .1" ${attributes}`, inner)
const flex = (attributes: string, inner = '', rest = '') =>
  `${world('<body name="a"/><body name="b" pos="1 0 0"/><body name="c" pos="0 1 0"/><body name="d" pos="0 0 1"/>')}
   <deformable><flex name="f" ${attributes}>${inner}</flex></deformable>${rest}`
const integrator = (name: string) => `<option integrator="${name}"/>`
const ELASTIC = '<elasticity young="1"/>'
const TETRAHEDRON = 'dim="3" body="a b c d" element="0 1 2 3"'

const cable = (inner: string) => world(`<composite type="cable" count="5 1 1" curve="s" size="1">${inner}</composite>`)
const CAPSULE = '<geom type="capsule" size=".01"/>'

/** Flexes, flexcomps and composites. */
export const FLEX_CASES: readonly RuleCase[] = [
  {
    rule: 'elasticity and passive contacts need an integrator that has them',
    refused: [
      integrator('implicit') + solid(ELASTIC),
      integrator('implicitfast') + solid(`${ELASTIC}<contact selfcollide="none"/>`, 'dof="trilinear"'),
      integrator('implicitfast') + cloth('<elasticity young="1" elastic2d="bend" thickness=".1"/>'),
      integrator('implicit') + flex(TETRAHEDRON, ELASTIC),
      integrator('implicit') + solid('<contact passive="true"/>'),
      solid('<contact passive="true"/>'),
    ],
    accepted: [
      solid(ELASTIC),
      integrator('RK4') + solid(ELASTIC),
      integrator('discrete') + solid(`${ELASTIC}<contact passive="true"/>`),
      integrator('implicit') + integrator('Euler') + solid(ELASTIC),
      integrator('implicit') + solid('<elasticity young="0" damping="1"/>'),
      integrator('implicit') + cloth(ELASTIC),
      integrator('implicit') + cloth('<edge equality="true"/>'),
      integrator('implicit') + cloth('<elasticity young="1" elastic2d="both" thickness=".1"/>', 'rigid="true"'),
      integrator('implicit') + flex('dim="3" body="a" vertex="0 0 0 1 0 0 0 1 0 0 0 1" element="0 1 2 3"', ELASTIC),
      solid('<contact passive="true"/>', 'rigid="true"'),
    ],
  },
  {
    rule: 'elasticity goes with the dimension',
    refused: [
      solid('<edge stiffness="1"/>'),
      world(
        `<body name="b"><joint/><geom size=".1"/><flexcomp name="f" type="grid" count="3 3 1" spacing=".1 .1 .1" radius=".01" dim="2">
          <elasticity elastic2d="bend" thickness=".1"/><pin id="0"/></flexcomp></body>`,
      ),
      solid('<elasticity elastic2d="bend" thickness=".1"/>'),
      cloth('<elasticity elastic2d="bend"/>'),
      cloth('<elasticity elastic2d="bend" thickness=".1" poisson=".5"/>'),
      solid('<elasticity young="1" poisson=".6"/>'),
      solid('', 'dof="trilinear"'),
      solid('<contact selfcollide="none" internal="true"/>', 'dof="trilinear"'),
      flex(TETRAHEDRON, '<edge stiffness="1"/>'),
    ],
    accepted: [
      cloth('<elasticity elastic2d="bend" thickness=".1"/>'),
      solid('<elasticity young="0" poisson=".6"/>'),
      solid('<contact selfcollide="none"/>', 'dof="trilinear"'),
      comp('type="grid" count="3 1 1" dim="1" spacing=".1 .1 .1"', '<edge stiffness="1"/>'),
    ],
  },
  {
    rule: 'a flexcomp has whole points and elements, or a file',
    refused: [
      comp('point="0 0 0 0"'),
      comp('type="mesh"'),
      comp('type="direct" dim="1" point="0 0 0 1 0 0" element="0 2"'),
      comp('type="direct" dim="2" point="0 0 0 1 0 0" element="0 1"'),
      solid('<pin id="99"/>'),
      comp('type="grid" count="3 3 2" dim="2" spacing=".1 .1 .1"'),
      comp('type="grid" dim="2" spacing=".1 .1 .1"'),
      cloth('', 'material="none"'),
    ],
    accepted: [comp('type="direct" dim="1" point="0 0 0 1 0 0" element="0 1"'), solid('<pin id="0"/>')],
  },
  {
    rule: 'a flex has elements of vertices that bodies hold',
    refused: [
      flex('dim="1" body="a none" element="0 1"'),
      flex('dim="2" body="a b" element="0 1"'),
      flex('dim="4" body="a b" element="0 1"'),
      flex('dim="1" body="a b" element="0 2"'),
      flex('dim="1" body="a b" element="0 0"'),
      flex('dim="1" body="" element="0 1"'),
      flex('dim="1" body="a b c" vertex="0 0 0 1 0 0" element="0 1"'),
      flex('dim="1" body="a" vertex="0 0 0 1 0" element="0 1"'),
      flex('dim="1" body="a b" element="0 1" texcoord="0 0"'),
      flex('dim="1" body="a b" element="0 1" material="none"'),
      flex('cellcount="2 2 0" dof="trilinear" dim="3" body="a b c d" element="0 1 2 3"'),
    ],
    accepted: [
      flex('dim="1" body="a b" element="0 1"'),
      flex('dim="1" body="a" vertex="0 0 0 1 0 0" element="0 1"'),
      flex(TETRAHEDRON),
    ],
  },
  {
    rule: 'a flex equality is of a flex that is not rigid',
    refused: [flex('dim="1" body="a a" element="0 1"', '', '<equality><flex flex="f"/></equality>')],
    accepted: [flex('dim="1" body="a b" element="0 1"', '', '<equality><flex flex="f"/></equality>')],
  },
  {
    rule: 'a cable has geoms with size and mass, and takes nothing from default classes',
    refused: [
      cable('<geom type="capsule" size="0"/>'),
      cable(CAPSULE).replace('curve="s"', ''),
      cable(CAPSULE).replace('curve="s"', 'curve="cos(s)"'),
      cable(CAPSULE).replace('count="5 1 1"', 'vertex="0 0 0 1 0 0 1 0 0 2 0 0"'),
      cable('<geom type="cylinder"/>'),
      cable('<geom type="box" size=".1 .1 0"/>'),
      cable('<geom type="capsule" size=".01" condim="2"/>'),
      cable('<geom type="capsule" size=".01" material="none"/>'),
      cable('<geom type="capsule" size=".01" mass="0"/>'),
      cable('<geom type="capsule" size=".01" density="-1"/>'),
      cable('<geom type="capsule" size=".01" group="7"/>'),
      cable(`${CAPSULE}<site size="0"/>`),
      cable(`${CAPSULE}<joint kind="main"/><joint kind="main"/>`),
      cable(`${CAPSULE}<site material="none"/>`),
      cable(`${CAPSULE}<joint kind="main" range="1 2"/>`),
      `<compiler autolimits="false"/>${cable(`${CAPSULE}<joint kind="main" range="0 2"/>`)}`,
    ],
    accepted: [
      cable('<geom type="box" size="0 .1 .1"/>'),
      cable(CAPSULE).replace('curve="s" size="1"', 'curve="cos(s) sin(s)" size="1 .1 2"'),
      cable(CAPSULE).replace('count="5 1 1"', 'vertex="0 0 0 1 0 0 2 0 0 3 0 0"'),
      cable(`${CAPSULE}<joint kind="main" range="1 0" limited="true"/>`),
      `<default><geom mass="0" condim="2"/><joint range="1 2"/></default>${cable(CAPSULE)}`,
    ],
  },
  {
    rule: 'a flex is held by bodies that fusestatic leaves',
    refused: [`<compiler fusestatic="true"/>${flex('dim="1" body="a b" element="0 1"')}`],
    accepted: [
      `<compiler fusestatic="true"/>${flex('dim="1" body="a b" element="0 1"', '', '<contact><exclude body1="a" body2="b"/></contact>')}`,
      `<compiler fusestatic="true"/>${cloth('', 'rigid="true"')}`,
      `<compiler fusestatic="true"/>${cloth('<pin id="0"/>')}`,
    ],
  },
  {
    rule: 'the joints of a flexcomp are limited as the default class has it',
    refused: [
      `<default><joint limited="true"/></default>${cloth()}`,
      `<default><joint springdamper="1 0"/></default>${cloth()}`,
    ],
    accepted: [
      `<default><joint limited="true"/></default>${cloth('', 'rigid="true"')}`,
      `<default><joint limited="true" range="0 1" axis="0 0 0"/></default>${cloth()}`,
    ],
  },
  {
    rule: 'an interpolated flexcomp has a box with three sides',
    refused: [
      cloth('<contact selfcollide="none"/>', 'dof="trilinear"'),
      cloth('<contact selfcollide="none"/>', 'dof="quadratic" pos="1 1 1"'),
      comp('type="circle" count="4 1 1" dim="1" spacing=".1 .1 .1" dof="trilinear"', '<contact selfcollide="none"/>'),
      comp(
        'type="direct" dim="2" point="0 0 1 1 0 1 0 1 1" element="0 1 2" dof="trilinear"',
        '<contact selfcollide="none"/>',
      ),
    ],
    accepted: [
      cloth('<contact selfcollide="none"/>', 'dof="trilinear" euler="45 0 0"'),
      cloth('<contact selfcollide="none"/>', 'dof="trilinear" point="0 0 3"'),
      cloth('', 'dof="trilinear" rigid="true"'),
      cloth('<contact internal="true"/><pin range="0 8"/>', 'dof="trilinear"'),
      comp(
        'type="direct" dim="2" point="0 0 1 1 0 1 0 1 0" element="0 1 2" dof="trilinear"',
        '<contact selfcollide="none"/>',
      ),
    ],
  },
  {
    rule: 'the numbers of a flexcomp are numbers',
    refused: [
      ...['true', 'nan', '3 nan 1', '3.5 3 1', '3 1e1 1', '0x3 3 1', '9999999999999 1 1'].map((count) =>
        comp(`type="grid" count="${count}" dim="2" spacing=".1 .1 .1"`),
      ),
      comp('type="box" count="3 3 nan" dim="2" spacing=".1 .1 .1"'),
      comp('type="grid" count="3 3 1" dim="x" spacing=".1 .1 .1"'),
      cloth('<pin id="nan"/>'),
      cloth('', 'mass="nan"'),
      cloth('', 'inertiabox="nan"'),
    ],
    accepted: [cloth('', 'mass="nan" rigid="true"'), comp('type="grid" count="3 3 1" dim="2" spacing="nan 0x1 1"')],
  },
  {
    rule: 'points that are written come before those that a flexcomp makes',
    refused: [
      cloth('', 'element="0 1 20"'),
      cloth('<pin id="11"/>', 'point="0 0 0 1 0 0"'),
      comp('type="grid" count="2 2 2" dim="2" spacing=".1 .1 .1" point="0 0 0 1 0 0"'),
      comp('type="circle" count="2 1 1" dim="1" spacing=".1 .1 .1"'),
      comp('type="direct" dim="1" point="0 0 0 1 0 0" element="0 0"'),
      comp('type="grid" count="2 2 1" dim="2" spacing=".1 .1 .1" point="3 0 0 0 0 0" dof="radial"'),
    ],
    accepted: [
      cloth('<pin id="10"/>', 'point="0 0 0 1 0 0" element="0 1 10"'),
      comp('type="grid" count="1 1 1" dim="1" spacing=".1 .1 .1" point="0 0 0 1 0 0" element="0 1"'),
      comp('type="grid" count="2 2 2" dim="2" spacing=".1 .1 .1" point="0 0 0 1 0 0 0 3 0 0 4 0"'),
      comp('type="box" count="3 3 3" dim="2" spacing=".1 .1 .1" point="0 0 0 1 0 0"'),
    ],
  },
  {
    rule: 'the pieces of a cable have finite lengths and sizes, and its skin a material of the model',
    refused: [
      cable(CAPSULE).replace('size="1"', 'size="nan"'),
      cable(CAPSULE).replace('size="1"', 'size="inf"'),
      cable(CAPSULE).replace('count="5 1 1"', 'vertex="0 0 0 0 0 nan 1 0 0 2 0 0"'),
      cable(CAPSULE).replace('count="5 1 1"', 'vertex="0 0 0 0 0 inf 1 0 0 2 0 0"'),
      cable('<geom type="capsule" size="nan"/>'),
      cable('<geom type="capsule" size=".1 0 nan"/>'),
      cable('<geom type="box" size=".1 .1 .1"/><skin material="none"/>'),
      cable('<geom type="box" size=".1 .1 .1"/>').replace('count="5 1 1"', 'vertex="1 2"'),
      cable(CAPSULE).replace('count="5 1 1"', 'count="5 1 1" vertex="1 2"'),
    ],
    accepted: [
      cable(CAPSULE).replace('size="1"', 'size="1 nan"'),
      cable(CAPSULE).replace('count="5 1 1"', 'vertex="1 2"'),
      cable('<geom type="box" size="nan .1 .1"/>'),
      `<asset><material name="m"/></asset>${cable('<geom type="box" size=".1 .1 .1"/><skin material="m"/>')}`,
      cable(`${CAPSULE}<skin material="none"/>`),
    ],
  },
]
