/** For each element: which attributes refer to objects, and of which category. */
import type { XmlElement } from '../xml/element.ts'
import type { Target } from './node.ts'
import type { SpecCategory } from './types.ts'

const one = (attribute: string, category: SpecCategory): readonly Target[] => [{ attribute, category }]

const site = one('site', 'site')
const joint = one('joint', 'joint')
const tendon = one('tendon', 'tendon')
const actuator = one('actuator', 'actuator')
const body = one('body', 'body')

/** Sensors that name what they measure in one fixed attribute. */
const SENSORS: ReadonlyMap<string, readonly Target[]> = new Map<string, readonly Target[]>([
  ['touch', site],
  ['accelerometer', site],
  ['velocimeter', site],
  ['gyro', site],
  ['force', site],
  ['torque', site],
  ['magnetometer', site],
  ['camprojection', [...site, { attribute: 'camera', category: 'camera' }]],
  ['jointpos', joint],
  ['jointvel', joint],
  ['jointactuatorfrc', joint],
  ['ballquat', joint],
  ['ballangvel', joint],
  ['jointlimitpos', joint],
  ['jointlimitvel', joint],
  ['jointlimitfrc', joint],
  ['tendonpos', tendon],
  ['tendonvel', tendon],
  ['tendonactuatorfrc', tendon],
  ['tendonlimitpos', tendon],
  ['tendonlimitvel', tendon],
  ['tendonlimitfrc', tendon],
  ['actuatorpos', actuator],
  ['actuatorvel', actuator],
  ['actuatorfrc', actuator],
  ['subtreecom', body],
  ['subtreelinvel', body],
  ['subtreeangmom', body],
  [
    'tactile',
    [
      { attribute: 'mesh', category: 'mesh' },
      { attribute: 'geom', category: 'geom' },
    ],
  ],
])

/** Words of `objtype` and `reftype`; `xbody` is the frame of the same body. */
export const OBJECT_TYPES: ReadonlyMap<string, SpecCategory> = new Map<string, SpecCategory>([
  ['body', 'body'],
  ['xbody', 'body'],
  ['joint', 'joint'],
  ['geom', 'geom'],
  ['site', 'site'],
  ['camera', 'camera'],
  ['light', 'light'],
  ['flex', 'flex'],
  ['mesh', 'mesh'],
  ['skin', 'skin'],
  ['hfield', 'hfield'],
  ['texture', 'texture'],
  ['material', 'material'],
  ['pair', 'pair'],
  ['exclude', 'exclude'],
  ['equality', 'equality'],
  ['tendon', 'tendon'],
  ['actuator', 'actuator'],
  ['sensor', 'sensor'],
  ['numeric', 'numeric'],
  ['text', 'text'],
  ['tuple', 'tuple'],
  ['key', 'key'],
  ['plugin', 'plugin'],
])

/** The object that a sensor measures and, if it has one, its frame of reference. */
export function sensorTargets(element: XmlElement): readonly Target[] {
  const known = SENSORS.get(element.name)
  if (known !== undefined) return known
  const { attributes } = element
  const typed = (type: string, attribute: string): readonly Target[] => {
    const word = attributes.get(type) ?? ''
    const category = OBJECT_TYPES.get(word)
    if (category === undefined) return []
    return [word === 'xbody' ? { attribute, category, isFusible: true } : { attribute, category }]
  }
  const first = (...targets: readonly Target[]) =>
    targets.filter(({ attribute }) => attributes.has(attribute)).slice(0, 1)
  switch (element.name) {
    case 'insidesite':
      return [...typed('objtype', 'objname'), ...site]
    case 'rangefinder':
      return first(...site, { attribute: 'camera', category: 'camera' })
    case 'distance':
    case 'normal':
    case 'fromto':
      return ['1', '2'].flatMap((n) =>
        first({ attribute: `body${n}`, category: 'body' }, { attribute: `geom${n}`, category: 'geom' }),
      )
    case 'contact':
      return [
        ...first(
          { attribute: 'site', category: 'site' },
          { attribute: 'body1', category: 'body' },
          { attribute: 'subtree1', category: 'body', isFusible: true },
          { attribute: 'geom1', category: 'geom' },
        ),
        ...first(
          { attribute: 'body2', category: 'body' },
          { attribute: 'subtree2', category: 'body', isFusible: true },
          { attribute: 'geom2', category: 'geom' },
        ),
      ]
    default:
      return [...typed('objtype', 'objname'), ...typed('reftype', 'refname')]
  }
}

/** The objects that an equality constraint connects; the second may be absent. */
export function equalityTargets({ name, attributes }: XmlElement): readonly Target[] {
  const pair = (category: SpecCategory): readonly Target[] => [
    { attribute: `${category}1`, category },
    { attribute: `${category}2`, category },
  ]
  if (name === 'joint' || name === 'tendon') return pair(name)
  if (name !== 'connect' && name !== 'weld') return [{ attribute: 'flex', category: 'flex' }]
  const bodies = attributes.has('body1') && (name === 'weld' || attributes.has('anchor'))
  return pair(bodies ? 'body' : 'site')
}

/**
 * In the order in which MuJoCo reads them. If there are several, the last one applies; the grammar forbids that anyway.
 */
const TRANSMISSIONS: readonly Target[] = [
  { attribute: 'joint', category: 'joint' },
  { attribute: 'jointinparent', category: 'joint' },
  { attribute: 'tendon', category: 'tendon' },
  { attribute: 'cranksite', category: 'site' },
  { attribute: 'site', category: 'site' },
  { attribute: 'body', category: 'body' },
]

/** The target of an actuator (null if it names none), followed by the site from which it acts. */
export function actuatorTargets({ attributes }: XmlElement): readonly Target[] | null {
  const target = TRANSMISSIONS.findLast(({ attribute }) => attributes.has(attribute))
  if (target === undefined) return null
  if (target.attribute === 'cranksite') return [target, { attribute: 'slidersite', category: 'site' }]
  if (target.attribute === 'site' && (attributes.get('refsite') ?? '') !== '') {
    return [target, { attribute: 'refsite', category: 'site' }]
  }
  return [target]
}

/** The two geoms of a contact pair. */
export const PAIR_TARGETS: readonly Target[] = [
  { attribute: 'geom1', category: 'geom' },
  { attribute: 'geom2', category: 'geom' },
]

/** The two bodies of an exclusion. */
export const EXCLUDE_TARGETS: readonly Target[] = [
  { attribute: 'body1', category: 'body' },
  { attribute: 'body2', category: 'body' },
]
