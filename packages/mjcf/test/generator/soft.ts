/** Generated cables and flexible grids, which stand for many bodies and joints. */
import { type Names, nameOf } from './names.ts'
import { type Tag, tag } from './tag.ts'

/** A cable: capsules on ball joints. */
export function cable(names: Names): Tag {
  const { random } = names
  return tag(
    'composite',
    {
      type: 'cable',
      prefix: random.chance(0.7) ? nameOf(names, 'cable', { always: true }) : undefined,
      curve: random.pick(['s', 's 0 0', 'cos(s) sin(s) s']),
      count: `${random.pick([2, 3, 5, 11])} 1 1`,
      size: '1',
      offset: '0 0 2',
      initial: random.pick([undefined, 'ball', 'none', 'free']),
    },
    [
      ...(random.chance(0.5) ? [tag('joint', { kind: 'main', damping: '.1' })] : []),
      tag('geom', { type: random.pick(['capsule', 'box', 'cylinder']), size: '.01 .02 .03' }),
    ],
  )
}

/** A grid of points, each a body with up to three slides; for a body that has a name. */
export function grid(names: Names): Tag {
  const { random } = names
  const dim = random.int(1, 3)
  const count = [random.int(2, 4), dim > 1 ? random.int(2, 3) : 1, dim > 2 ? 2 : 1]
  return tag(
    'flexcomp',
    {
      name: nameOf(names, 'flex', { always: true }),
      type: 'grid',
      dim: String(dim),
      count: count.join(' '),
      spacing: '.1 .1 .1',
      radius: '.01',
      mass: '1',
      rigid: random.chance(0.15) ? 'true' : undefined,
      dof: random.chance(0.15) ? random.pick(['full', 'radial', 'trilinear']) : undefined,
    },
    random.chance(0.3) ? [tag('pin', { id: String(random.int(0, 1)) })] : [],
  )
}
