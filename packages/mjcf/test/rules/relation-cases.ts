import { body, type RuleCase, world } from './rule-case.ts'

const two = world(
  `${body('<joint name="a" range="-1 1" limited="true"/><site name="s"/><site name="t" pos="1 0 0"/>', 'name="A"')}
   ${body('<joint name="b" type="slide"/><site name="u" pos="2 0 0"/><geom name="g" size=".1"/><geom name="box" type="box" size=".1 .1 .1"/>', 'name="B"')}
   ${body('<joint name="ball" type="ball"/>', 'name="C"')}<geom name="w" size=".1"/>`,
)
const equality = (inner: string) => `${two}<equality>${inner}</equality>`
const tendon = (inner: string) => `${two}<tendon>${inner}</tendon>`
const contact = (inner: string) => `${two}<contact>${inner}</contact>`
const spatial = (path: string, attributes = '') => tendon(`<spatial ${attributes}>${path}</spatial>`)
const site = (name: string) => `<site site="${name}"/>`
const wrap = (name: string) => `<geom geom="${name}"/>`
const fixed = (attributes: string) => tendon(`<fixed name="f" ${attributes}><joint joint="a" coef="1"/></fixed>`)

/** Equality constraints, contacts, tendons. */
export const RELATION_CASES: readonly RuleCase[] = [
  {
    rule: 'an equality constrains two different things that exist',
    refused: [
      equality('<joint joint1="none"/>'),
      equality('<joint joint1="a" joint2="none"/>'),
      equality('<joint joint1="a" joint2="a"/>'),
      equality('<weld body1="none"/>'),
      equality('<weld body1="A" body2="A"/>'),
      equality('<weld body1="world"/>'),
      equality('<connect body1="A" body2="none" anchor="0 0 0"/>'),
      equality('<connect site1="s" site2="none"/>'),
      equality('<weld site1="s" site2="s"/>'),
      equality('<weld site1="s" site2=""/>'),
      equality('<tendon tendon1="none"/>'),
      equality('<flex flex="none"/>'),
    ],
    accepted: [
      equality('<joint joint1="a"/>'),
      equality('<joint joint1="a" joint2="b"/>'),
      equality('<weld body1="A"/>'),
      equality('<weld body1="A" body2="B"/>'),
      equality('<connect site1="s" site2="u"/>'),
      equality('<connect body1="A" anchor="0 0 0"/>'),
      equality('<joint joint1="a" joint2=""/>'),
    ],
  },
  {
    rule: 'a joint equality is of hinges and slides',
    refused: [equality('<joint joint1="ball"/>'), equality('<joint joint1="a" joint2="ball"/>')],
    accepted: [equality('<joint joint1="b" joint2="a"/>')],
  },
  {
    rule: 'a contact pair is of two geoms that exist, an exclude of two bodies',
    refused: [
      contact('<pair geom1="g" geom2="none"/>'),
      world(body('<geom name="g" size=".2"/>').replace('<geom ', '<geom name="h" ')) +
        '<contact><pair geom1="g"/></contact>',
      contact('<pair geom1="g" geom2="w" condim="2"/>'),
      contact('<exclude body1="A" body2="none"/>'),
    ],
    accepted: [
      contact('<pair geom1="g" geom2="w"/>'),
      contact('<exclude body1="A" body2="B"/>'),
      contact('<exclude body1="A" body2="world"/>'),
      contact('<pair geom1="g" geom2="g"/>'),
      contact('<exclude body1="A" body2="A"/>'),
    ],
  },
  {
    rule: 'a tendon goes through what exists',
    refused: [
      tendon('<fixed><joint joint="none" coef="1"/></fixed>'),
      tendon('<fixed/>'),
      tendon('<spatial/>'),
      spatial(site('s') + site('none')),
      spatial(site('s') + wrap('none') + site('u')),
      spatial(`${site('s')}<geom geom="g" sidesite="none"/>${site('u')}`),
      spatial(site('s') + site('u'), 'material="none"'),
    ],
    accepted: [
      tendon('<fixed><joint joint="a" coef="1"/><joint joint="b" coef="-1"/></fixed>'),
      tendon('<fixed><joint joint="ball" coef="1"/></fixed>'),
      spatial(site('s') + site('u')),
      spatial(site('s') + wrap('g') + site('u')),
      spatial(`${site('s')}<geom geom="g" sidesite="t"/>${site('u')}`),
    ],
  },
  {
    rule: 'a spatial path goes from site to site, around spheres and cylinders, pulleys between branches',
    refused: [
      spatial(site('s')),
      spatial(site('s') + site('s')),
      spatial(wrap('g') + site('s')),
      spatial(site('s') + wrap('g')),
      spatial(site('s') + wrap('g') + wrap('w') + site('u')),
      spatial(site('s') + wrap('box') + site('u')),
      spatial(`${site('s')}${site('t')}<pulley divisor="2"/>`),
      spatial(`${site('s')}${site('t')}<pulley divisor="2"/><pulley divisor="2"/>${site('s')}${site('u')}`),
      spatial(`${site('s')}<pulley divisor="2"/>${site('t')}${site('u')}`),
      spatial(`${site('s')}${site('t')}<pulley divisor="-1"/>${site('s')}${site('u')}`),
      spatial(site('s') + site('u'), 'width="0"'),
      spatial(site('s') + site('u'), 'armature="-1"'),
      spatial(site('s') + wrap('g') + site('u'), 'armature="1"'),
    ],
    accepted: [
      spatial(site('s') + site('t') + site('s')),
      spatial(`${site('s')}${site('t')}<pulley divisor="2"/>${site('t')}${site('u')}`),
      spatial(`<pulley divisor="1"/>${site('s')}${site('t')}`),
      spatial(`${site('s')}${site('t')}<pulley divisor="0"/>${site('s')}${site('u')}`),
      spatial(site('s') + site('u'), 'armature="1"'),
    ],
  },
  {
    rule: 'the limits of a tendon ascend',
    refused: [
      fixed('limited="true" range="1 0"'),
      fixed('limited="true"'),
      fixed('actuatorfrclimited="true" actuatorfrcrange="1 0"'),
      fixed('actuatorfrclimited="true" actuatorfrcrange="1 2"'),
      fixed('actuatorfrclimited="true"'),
      fixed('springlength="2 1"'),
      fixed('actuatorfrcrange="1 2"'),
      `<compiler autolimits="false"/>${fixed('range="0 1"')}`,
      `<compiler autolimits="false"/>${fixed('actuatorfrcrange="-1 1"')}`,
    ],
    accepted: [
      fixed('range="1 0"'),
      fixed('range="0 1"'),
      fixed('actuatorfrcrange="-1 1"'),
      fixed('springlength="1"'),
      fixed('springlength="1 2"'),
      `<compiler autolimits="false"/>${fixed('range="0 1" limited="false"')}`,
    ],
  },
  {
    rule: 'an empty name is that of an unnamed thing',
    refused: [spatial(site('') + site('s')), equality('<weld body1=""/>')],
    accepted: [
      `${world('<site/><site name="s"/>')}<tendon><spatial><site site=""/><site site="s"/></spatial></tendon>`,
      `${world('<body/>')}<equality><weld body1=""/></equality>`,
      `${world('<geom name="g" size=".1"/><geom size=".1"/>')}<contact><pair geom1="g"/></contact>`,
      `${world('<body name="a"/><body/>')}<contact><exclude body1="a" body2=""/></contact>`,
    ],
  },
]
