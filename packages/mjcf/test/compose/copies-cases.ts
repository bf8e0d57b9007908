import { body, child, childAsset, joint, type SpecCase, world } from './spec-case.ts'

const jointed = body('b', joint('j'))
const motor = (name: string, on: string) => `<actuator><motor name="${name}" joint="${on}"/></actuator>`

export const COPIES_CASES: readonly SpecCase[] = [
  {
    rule: 'joints of a body come before those of the bodies in it, wherever they are written',
    main: world(body('a', body('b', joint('c')) + joint('p'))),
    joints: ['p:hinge', 'c:hinge'],
  },
  {
    rule: 'frames are transparent, and several worldbodies follow one another',
    main: `${world(`<frame><frame>${body('a', joint('j'))}</frame></frame>`)}${world(body('b', joint('k')))}`,
    joints: ['j:hinge', 'k:hinge'],
  },
  {
    rule: 'joints share one namespace whatever their type',
    main: world(body('a', '<freejoint name="j"/>') + body('b', joint('j', 'type="ball"'))),
    joints: null,
  },
  {
    rule: 'names of different kinds may be the same',
    main: `${world(body('j', `${joint('j')}<site name="j"/>`))}${motor('j', 'j')}`,
    joints: ['j:hinge'],
  },
  {
    rule: 'copies of a replicate are numbered with as many digits as their count has',
    main: world(`<replicate count="10">${body('', joint('j'))}</replicate>`),
    joints: Array.from({ length: 10 }, (_, i) => `j0${i}:hinge`),
  },
  {
    rule: 'one copy is numbered too, and none leaves nothing',
    main: world(
      `<replicate count="1">${body('', joint('j'))}</replicate><replicate count="0">${body('', joint('k'))}</replicate><replicate count="-1">${body('', joint('l'))}</replicate>`,
    ),
    joints: ['j0:hinge'],
  },
  {
    rule: 'nested replicates put the inner number first',
    main: world(`<replicate count="2" sep="-"><replicate count="2">${body('', joint('j'))}</replicate></replicate>`),
    joints: ['j0-0:hinge', 'j1-0:hinge', 'j0-1:hinge', 'j1-1:hinge'],
  },
  {
    rule: 'joints within a replicate belong to the body around it',
    main: world(body('a', `<replicate count="2">${joint('j')}</replicate>`)),
    joints: ['j0:hinge', 'j1:hinge'],
    bodies: ['a'],
  },
  {
    rule: 'the world gets no joints by a replicate either',
    main: world(`<replicate count="2">${joint('j')}</replicate>`),
    joints: null,
  },
  {
    rule: 'names within a replicate are taken while it is read',
    main: world(`<geom name="g" size=".1"/><replicate count="2"><geom name="g" size=".1"/></replicate>`),
    joints: null,
  },
  {
    rule: 'names within a replicate are free after it',
    main: world(`<replicate count="2">${jointed}</replicate>${jointed}`),
    joints: ['j0:hinge', 'j1:hinge', 'j:hinge'],
  },
  {
    rule: 'a copy may not bear the name of something else',
    main: world(`${body('b1')}<replicate count="2">${jointed}</replicate>`),
    joints: null,
  },
  {
    rule: 'what acts on something replicated is replicated with it',
    main: `${world(`<replicate count="2">${jointed}</replicate>`)}${motor('m', 'j')}`,
    joints: ['j0:hinge', 'j1:hinge'],
    actuators: ['m0', 'm1'],
  },
  {
    rule: 'what acts on one copy stays as it is',
    main: `${world(`<replicate count="2">${jointed}</replicate>`)}${motor('m', 'j1')}`,
    joints: ['j0:hinge', 'j1:hinge'],
    actuators: ['m'],
  },
  {
    rule: 'a sensor without an object is copied by each replicate, so that the second one collides with the first',
    main: `${world('<replicate count="2"><geom size=".1"/></replicate><replicate count="2"><geom size=".1"/></replicate>')}<sensor><clock name="s"/></sensor>`,
    joints: null,
  },
  {
    rule: 'a tuple keeps the name of what was replicated, and that is gone',
    main: `${world(`<replicate count="2">${jointed}</replicate>`)}<custom><tuple name="t"><element objtype="body" objname="b"/></tuple></custom>`,
    joints: null,
  },
  {
    rule: 'attach puts the prefix before each name, the outermost first',
    main: `${childAsset}${world('<attach model="c" prefix="L-"/>')}`,
    files: {
      'c.xml': `<mujoco><asset><model name="d" file="d.xml"/></asset>${world(body('a', `${joint('k')}<attach model="d" body="cb" prefix="h/"/>`))}</mujoco>`,
      'd.xml': child(),
    },
    joints: ['L-k:hinge', 'L-h/cj:slide'],
    bodies: ['L-a', 'L-h/cb'],
  },
  {
    rule: 'what refers to the attached comes with it, and what refers to something else does not',
    main: `${childAsset}${world('<attach model="c" body="cb" prefix="L"/>')}`,
    files: {
      'c.xml': `<mujoco>${world(body('cb', joint('j')) + body('other', joint('k')))}<actuator><motor name="m" joint="j"/><motor name="n" joint="k"/></actuator></mujoco>`,
    },
    joints: ['Lj:hinge'],
    actuators: ['Lm'],
  },
  {
    rule: 'attached within a replicate, the suffix follows the prefix',
    main: `${childAsset}${world('<replicate count="2"><attach model="c" prefix="L"/></replicate>')}`,
    files: { 'c.xml': child() },
    joints: ['Lcj0:slide', 'Lcj1:slide'],
  },
  {
    rule: 'a body that is already read can be attached again',
    main: world(`${jointed}<attach body="b" prefix="p"/>`),
    joints: ['j:hinge', 'pj:hinge'],
  },
  {
    rule: 'a body that comes later cannot be attached',
    main: world(`<attach body="b" prefix="p"/>${jointed}`),
    joints: null,
  },
  {
    rule: 'a body can be attached within itself',
    main: world(body('b', `${joint('j')}<attach body="b" prefix="p"/>`)),
    joints: ['j:hinge', 'pj:hinge'],
  },
  {
    rule: 'a frame is attached with all that stands in it',
    main: world(
      `<frame name="f">${jointed}<frame>${body('d', joint('k'))}</frame></frame><attach frame="f" prefix="p"/>`,
    ),
    joints: ['j:hinge', 'k:hinge', 'pj:hinge', 'pk:hinge'],
  },
  {
    rule: 'the name that an attached body would get has to be free',
    main: world(`${jointed}${body('pb')}<attach body="b" prefix="p"/>`),
    joints: null,
  },
  {
    rule: 'without a model, attach names a body or frame',
    main: world(`${jointed}<attach prefix="p"/>`),
    joints: null,
  },
  {
    rule: 'the model that is attached is an asset',
    main: world('<attach model="c" prefix="L"/>'),
    joints: null,
  },
  {
    rule: 'a model asset is called as it calls itself where it is given no name',
    main: `<asset><model file="c.xml"/></asset>${world('<attach model="child" prefix="L"/>')}`,
    files: { 'c.xml': child() },
    joints: ['Lcj:slide'],
  },
  {
    rule: 'visuals are discarded as the model says that attaches, whatever the attached one says',
    main: `<compiler discardvisual="true"/>${childAsset}${world('<attach model="c" body="a" prefix="L"/>')}`,
    files: { 'c.xml': `<mujoco>${world(body('a', `${joint('j')}<geom size=".1" material="none"/>`))}</mujoco>` },
    joints: ['Lj:hinge'],
  },
  {
    rule: 'an attached model that discards visuals still lacks a material that it has not',
    main: `${childAsset}${world('<attach model="c" body="a" prefix="L"/>')}`,
    files: {
      'c.xml': `<mujoco><compiler discardvisual="true"/>${world(body('a', '<geom size=".1" material="none"/>'))}</mujoco>`,
    },
    joints: null,
  },
  {
    rule: 'a mesh whose vertices do not come in threes is not copied',
    main: `${childAsset}${world('<attach model="c" body="a" prefix="L"/>')}`,
    files: { 'c.xml': `<mujoco><asset><mesh name="m" vertex="0"/></asset>${world(body('a', joint('j')))}</mujoco>` },
    joints: ['Lj:hinge'],
  },
  {
    rule: 'an equality constraint of a ball joint is copied by attach, and refused',
    main: `${childAsset}${world('<attach model="c" body="a" prefix="L"/>')}`,
    files: {
      'c.xml': `<mujoco>${world(body('a', joint('j', 'type="ball"')))}<equality><joint joint1="j"/></equality></mujoco>`,
    },
    joints: null,
  },
  {
    rule: 'nor does a replicate in an attached model leave one out',
    main: `${childAsset}${world('<attach model="c" prefix="L"/>')}`,
    files: {
      'c.xml': `<mujoco>${world(`<replicate count="2">${body('a', joint('j', 'type="ball"'))}</replicate>`)}<equality><joint joint1="j"/></equality></mujoco>`,
    },
    joints: null,
  },
  {
    rule: 'the gains of actuators are judged where they are read, also in a model that is never attached',
    main: `${childAsset}${world(jointed)}`,
    files: {
      'c.xml': `<mujoco>${world(jointed)}<actuator><dcmotor joint="j"/></actuator></mujoco>`,
    },
    joints: null,
  },
  {
    rule: 'the counts of a flexcomp are judged where they are read, also in a model that is never attached',
    main: `${childAsset}${world(jointed)}`,
    files: {
      'c.xml': `<mujoco>${world('<flexcomp name="f" count="3 3 3" dim="2" spacing=".1 .1 .1" radius=".01"/>')}</mujoco>`,
    },
    joints: null,
  },
]
