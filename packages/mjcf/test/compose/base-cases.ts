import { body, joint, type SpecCase, world } from './spec-case.ts'

const cable = (attributes: string) =>
  `<composite type="cable" curve="s" size="1" ${attributes}><geom type="capsule" size=".01"/></composite>`
const flexcomp = (attributes: string, inner = '') =>
  `<flexcomp name="f" type="grid" count="3 3 1" spacing=".1 .1 .1" ${attributes}>${inner}</flexcomp>`
const slides = (n: number) => Array<string>(n).fill(':slide')
const fused = '<compiler fusestatic="true"/>'

const TETRAHEDRON = { 't.obj': 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 2 3 4\nf 1 3 4\n' }
const meshFlexcomp = (attributes: string) =>
  `<flexcomp name="f" type="mesh" file="t.obj" dim="2" radius=".01" ${attributes}/>`

export const BASE_CASES: readonly SpecCase[] = [
  { rule: 'a freejoint floats', main: world(body('a', '<freejoint name="f"/>')), joints: ['f:free'], base: 'floating' },
  {
    rule: 'a joint of the type free floats',
    main: world(body('a', joint('f', 'type="free"'))),
    joints: ['f:free'],
    base: 'floating',
  },
  {
    rule: 'a joint that is free by its class floats',
    main: `<default><joint type="free"/></default>${world(body('a', joint('f')))}`,
    joints: ['f:free'],
    base: 'floating',
  },
  {
    rule: 'a freejoint takes nothing from classes',
    main: `<default><joint type="hinge"/></default>${world(body('a', '<freejoint/>'))}`,
    joints: [':free'],
    base: 'floating',
  },
  { rule: 'a free joint stands in a child of world', main: world(body('a', body('b', '<freejoint/>'))), joints: null },
  { rule: 'a free joint stands alone in its body', main: world(body('a', `<freejoint/>${joint('j')}`)), joints: null },
  {
    rule: 'a free joint below a body that is fused into the world stands in a child of world',
    main: fused + world(body('', body('b', '<freejoint/>'))),
    joints: [':free'],
    base: 'floating',
    bodies: ['b'],
  },
  {
    rule: 'a body that is referred to is not fused',
    main: `${fused}${world(body('a', body('b', joint('j'))) + body('d'))}<contact><exclude body1="a" body2="b"/></contact>`,
    joints: ['j:hinge'],
    bodies: ['a', 'b'],
  },
  {
    rule: 'no named body is fused while the last one that is referred to has lost its place',
    main: `${fused}${world(body('', body('a', body(''))) + body('', body('') + body('z')))}<actuator><adhesion body="z" ctrlrange="0 1"/></actuator>`,
    joints: [],
    bodies: ['a', 'z'],
  },
  { rule: 'a mocap body is fixed', main: world(body('a', '', 'mocap="true"')), joints: [], base: 'fixed' },
  {
    rule: 'a cable has one ball joint for each piece',
    main: world(cable('prefix="c" count="5 1 1"')),
    joints: ['cJ_first:ball', 'cJ_1:ball', 'cJ_2:ball', 'cJ_last:ball'],
  },
  {
    rule: 'a cable can be free',
    main: world(cable('count="4 1 1" initial="free"')),
    joints: ['J_first:free', 'J_1:ball', 'J_last:ball'],
    base: 'floating',
  },
  {
    rule: 'a cable can be fixed at its first end',
    main: world(cable('count="4 1 1" initial="none"')),
    joints: ['J_1:ball', 'J_last:ball'],
  },
  { rule: 'a cable of two pieces excludes a body that it has not', main: world(cable('count="3 1 1"')), joints: null },
  {
    rule: 'names that are taken are left out of a second cable',
    main: world(cable('count="4 1 1"') + cable('count="4 1 1"')),
    joints: ['J_first:ball', 'J_1:ball', 'J_last:ball', ':ball', ':ball', ':ball'],
  },
  {
    rule: 'composites other than cables are gone',
    main: world('<composite type="particle" count="3 3 3"/>'),
    joints: null,
  },
  { rule: 'a flexcomp has three unnamed slides for each point', main: world(flexcomp('')), joints: slides(27) },
  { rule: 'a rigid flexcomp has no joints', main: world(flexcomp('rigid="true"')), joints: [] },
  {
    rule: 'pinned points have no joints',
    main: world(flexcomp('', '<pin id="0 1"/><pin range="4 6"/>')),
    joints: slides(12),
  },
  { rule: 'points of a flexcomp can move in a plane only', main: world(flexcomp('dof="2d"')), joints: slides(18) },
  { rule: 'a flexcomp stands in a body with a name', main: world(body('', flexcomp(''))), joints: null },
  {
    rule: 'the flex of a flexcomp is left behind by a replicate',
    main: world(`<replicate count="2">${body('b', flexcomp(''))}</replicate>`),
    joints: null,
  },
  {
    rule: 'a rigid flexcomp of a file has no joints, whatever is in the file',
    main: world(body('b', meshFlexcomp('rigid="true"')) + body('c', joint('j'))),
    files: TETRAHEDRON,
    joints: ['j:hinge'],
    bodies: ['b', 'c'],
  },
  {
    rule: 'what refers to a flexcomp of a file, or to a point of it, may be right',
    main: `${world(meshFlexcomp(''))}<equality><flex flex="f"/></equality><contact><exclude body1="f_0" body2="f_3"/></contact>`,
    files: TETRAHEDRON,
    joints: [],
  },
  {
    rule: 'a rigid flexcomp has no points to refer to',
    main: `${world(meshFlexcomp('rigid="true"'))}<contact><exclude body1="f_0" body2="f_3"/></contact>`,
    files: TETRAHEDRON,
    joints: null,
  },
]
