import { body, child, childAsset, joint, type SpecCase, world } from './spec-case.ts'

const keys = (...all: readonly string[]) => `<keyframe>${all.map((key) => `<key ${key}/>`).join('')}</keyframe>`
const two = world(body('a', joint('j')) + body('b', joint('k')))
const copied = (before: string, after = '') => {
  return world(`${before}<replicate count="2">${body('', joint('r'))}</replicate>${after}`)
}

export const KEYS_CASES: readonly SpecCase[] = [
  {
    rule: 'keyframes need no name',
    main: two + keys('name="k"', 'time="1"'),
    joints: ['j:hinge', 'k:hinge'],
    keyframes: ['k', null],
  },
  { rule: 'two keyframes have two names', main: two + keys('name="k"', 'name="k"'), joints: null },
  {
    rule: 'a size of keyframes is filled up with unnamed ones',
    main: `<size nkey="3"/>${two}${keys('name="k"')}`,
    joints: ['j:hinge', 'k:hinge'],
    keyframes: ['k', null, null],
  },
  {
    rule: 'a keyframe with too few positions is filled up',
    main: two + keys('name="k" qpos="1"'),
    joints: ['j:hinge', 'k:hinge'],
    keyframes: ['k'],
  },
  { rule: 'a keyframe with too many positions is refused', main: two + keys('name="k" qpos="1 2 3"'), joints: null },
  {
    rule: 'the first replicate multiplies the keyframes, and only the first',
    main: copied('', `<replicate count="3"><geom size=".1"/></replicate>`) + keys('name="k"', 'time="1"'),
    joints: ['r0:hinge', 'r1:hinge'],
    keyframes: ['k0', '0', 'k1', '1', 'k', null],
  },
  {
    rule: 'at the first replicate a keyframe fits the bodies written so far',
    main: copied(body('a', joint('j')), body('b', joint('k'))) + keys('name="k" qpos="1 2"'),
    joints: ['j:hinge', 'r0:hinge', 'r1:hinge', 'k:hinge'],
    keyframes: ['k0', 'k1', 'k'],
  },
  {
    rule: 'at the first replicate a keyframe for the whole model does not fit',
    main: copied('') + keys('name="k" qpos="1 2"'),
    joints: null,
  },
  {
    rule: 'a replicate without copies takes the keyframes over as they are',
    main: world(`<replicate count="0">${body('', joint('r'))}</replicate>`) + keys('name="k" qpos="1"'),
    joints: [],
    keyframes: ['k'],
  },
  {
    rule: 'attach brings the keyframes of the child, after the own ones and filled up to the model',
    main: `${childAsset}${world(`${body('a', joint('j'))}<attach model="c" prefix="L"/>`)}${keys('name="own" qpos="1"')}`,
    files: { 'c.xml': child(keys('name="home" qpos="1"', 'time="2"')) },
    joints: ['j:hinge', 'Lcj:slide'],
    keyframes: ['own', 'Lhome', 'L'],
  },
  {
    rule: 'keyframes of an attached child fit the child',
    main: childAsset + world('<attach model="c" prefix="L"/>'),
    files: { 'c.xml': child(keys('name="home" qpos="1 2"')) },
    joints: null,
  },
  {
    rule: 'keyframes that a child got by attach keep their names',
    main: `${childAsset}${world('<attach model="c" prefix="L-"/>')}`,
    files: {
      'c.xml': `<mujoco><asset><model name="d" file="d.xml"/></asset>${world('<attach model="d" prefix="h/"/>')}${keys('name="arm"')}</mujoco>`,
      'd.xml': child(keys('name="open"')),
    },
    joints: ['L-h/cj:slide'],
    keyframes: ['L-arm', 'h/open'],
  },
  {
    rule: 'each attach of an own body brings the own keyframes again',
    main:
      world(`${body('a', joint('j'))}<attach body="a" prefix="p"/><attach body="a" prefix="q"/>`) +
      keys('name="k" qpos="1"'),
    joints: ['j:hinge', 'pj:hinge', 'qj:hinge'],
    keyframes: ['k', 'pk', 'qk'],
  },
]
