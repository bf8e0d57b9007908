/**
 * Generated sections that refer to joints, sites and bodies by name: actuators, sensors, equalities, tendons, contacts,
 * tuples.
 */
import { type Names, nameOf, refer } from './names.ts'
import { type Tag, tag } from './tag.ts'

type Make = (names: Names) => Tag | null

/** Sections in the order they must be generated: tendons before what refers to them. */
export function referrers(names: Names, classes: readonly string[]): Tag[] {
  const { random } = names
  const section = (name: string, p: number, kinds: readonly Make[], most: number) => {
    if (!random.chance(p)) return []
    const made = Array.from({ length: random.int(1, most) }, () => random.pick(kinds)(names))
    const children = made.filter((child) => child !== null)
    if (classes.length > 0 && random.chance(0.2) && children[0] && name !== 'sensor' && name !== 'custom') {
      children[0].attributes.class ??= random.pick(classes)
    }
    return [tag(name, {}, children)]
  }
  return [
    ...section('tendon', 0.4, tendons, 2),
    ...section('equality', 0.3, equalities, 3),
    ...section('contact', 0.3, contacts, 2),
    ...section('actuator', 0.6, actuators, 4),
    ...section('sensor', 0.5, sensors, 4),
    ...section('custom', 0.2, customs, 2),
  ]
}

const one = (names: Names, kind: string, make: (target: string) => Tag): Tag | null => {
  const target = refer(names, kind)
  return target === null ? null : make(target)
}

const two = (names: Names, kind: string, make: (a: string, b: string) => Tag): Tag | null => {
  const [a, b] = [refer(names, kind), refer(names, kind)]
  return a === null || b === null || (a === b && !names.random.chance(0.05)) ? null : make(a, b)
}

const tendons: readonly Make[] = [
  (names) =>
    two(names, 'scalar', (a, b) =>
      tag('fixed', { name: nameOf(names, 'tendon') }, [
        tag('joint', { joint: a, coef: '1' }),
        tag('joint', { joint: b, coef: '-2' }),
      ]),
    ),
  (names) =>
    two(names, 'site', (a, b) =>
      tag('spatial', { name: nameOf(names, 'tendon') }, [tag('site', { site: a }), tag('site', { site: b })]),
    ),
  (names) =>
    two(names, 'site', (a, b) =>
      tag('spatial', { name: nameOf(names, 'tendon'), limited: 'true', range: '0 1' }, [
        tag('site', { site: a }),
        tag('site', { site: b }),
        tag('pulley', { divisor: '2' }),
        tag('site', { site: a }),
        tag('site', { site: b }),
      ]),
    ),
]

const equalities: readonly Make[] = [
  (names) => two(names, 'scalar', (a, b) => tag('joint', { name: nameOf(names, 'equality'), joint1: a, joint2: b })),
  (names) => one(names, 'scalar', (a) => tag('joint', { joint1: a, polycoef: '.1 0 0 0 0' })),
  (names) =>
    two(names, 'body', (a, b) =>
      tag('connect', { name: nameOf(names, 'equality'), body1: a, body2: b, anchor: '0 0 0' }),
    ),
  (names) => one(names, 'body', (a) => tag('weld', { name: nameOf(names, 'equality'), body1: a })),
  (names) => two(names, 'site', (a, b) => tag('connect', { site1: a, site2: b })),
]

const contacts: readonly Make[] = [
  (names) => two(names, 'body', (a, b) => tag('exclude', { name: nameOf(names, 'exclude'), body1: a, body2: b })),
  (names) => two(names, 'geom', (a, b) => tag('pair', { geom1: a, geom2: b })),
]

const actuators: readonly Make[] = [
  (names) => one(names, 'joint', (joint) => tag('motor', { name: nameOf(names, 'actuator'), joint })),
  (names) => one(names, 'joint', (joint) => tag('position', { name: nameOf(names, 'actuator'), joint, kp: '10' })),
  (names) => one(names, 'joint', (joint) => tag('velocity', { name: nameOf(names, 'actuator'), joint })),
  (names) =>
    one(names, 'joint', (joint) =>
      tag('general', { name: nameOf(names, 'actuator'), joint, dyntype: 'integrator', ctrlrange: '-1 1' }),
    ),
  (names) =>
    one(names, 'joint', (joint) => tag('intvelocity', { name: nameOf(names, 'actuator'), joint, actrange: '-1 1' })),
  (names) => one(names, 'joint', (joint) => tag('cylinder', { name: nameOf(names, 'actuator'), joint })),
  (names) => one(names, 'joint', (joint) => tag('damper', { joint, ctrlrange: '0 1', kv: '1' })),
  (names) => one(names, 'tendon', (tendon) => tag('motor', { name: nameOf(names, 'actuator'), tendon })),
  (names) => one(names, 'site', (site) => tag('motor', { name: nameOf(names, 'actuator'), site, gear: '0 0 1 0 0 0' })),
  (names) => one(names, 'body', (body) => tag('adhesion', { name: nameOf(names, 'actuator'), body, ctrlrange: '0 1' })),
]

const sensors: readonly Make[] = [
  (names) => one(names, 'scalar', (joint) => tag('jointpos', { name: nameOf(names, 'sensor'), joint })),
  (names) => one(names, 'scalar', (joint) => tag('jointvel', { joint })),
  (names) => (names.random.chance(0.1) ? one(names, 'joint', (joint) => tag('ballquat', { joint })) : null),
  (names) => one(names, 'site', (site) => tag('gyro', { name: nameOf(names, 'sensor'), site })),
  (names) => one(names, 'site', (site) => tag('force', { site })),
  (names) => one(names, 'site', (site) => tag('touch', { name: nameOf(names, 'sensor'), site })),
  (names) => one(names, 'tendon', (tendon) => tag('tendonpos', { tendon })),
  (names) => one(names, 'actuator', (actuator) => tag('actuatorfrc', { name: nameOf(names, 'sensor'), actuator })),
  (names) => one(names, 'body', (body) => tag('subtreecom', { name: nameOf(names, 'sensor'), body })),
  (names) => {
    const objtype = names.random.pick(['body', 'xbody', 'geom', 'site', 'camera'])
    return one(names, objtype === 'xbody' ? 'body' : objtype, (objname) =>
      tag('framepos', { name: nameOf(names, 'sensor'), objtype, objname }),
    )
  },
  (names) => tag('clock', { name: nameOf(names, 'sensor') }),
]

const customs: readonly Make[] = [
  (names) => tag('numeric', { name: nameOf(names, 'numeric', { always: true }), data: '1 2 3' }),
  (names) => tag('text', { name: nameOf(names, 'word', { always: true }), data: 'words' }),
  (names) =>
    one(names, 'body', (objname) =>
      tag('tuple', { name: nameOf(names, 'tuple', { always: true }) }, [tag('element', { objtype: 'body', objname })]),
    ),
]
