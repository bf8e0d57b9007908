/** Generated default classes, nested, in one or several sections. */
import type { Random } from '@hub/testing/random'
import { type Tag, tag } from './tag.ts'

/** The sections and the classes that they define, without `main`. */
export function defaults(random: Random): { sections: Tag[]; classes: string[] } {
  const classes: string[] = []
  const sections: Tag[] = []
  const count = random.pick([0, 1, 1, 1, 2])
  for (let i = 0; i < count; i++) {
    const attributes = { class: random.chance(0.3) ? 'main' : undefined }
    sections.push(tag('default', attributes, members(random, classes, 0)))
  }
  return { sections, classes }
}

function members(random: Random, classes: string[], depth: number): Tag[] {
  const children: Tag[] = []
  if (random.chance(0.6)) children.push(jointDefault(random, depth))
  if (random.chance(0.4)) children.push(tag('geom', { rgba: '1 0 0 1', group: random.chance(0.5) ? '2' : undefined }))
  if (random.chance(0.2)) children.push(tag('site', { size: '.01' }))
  if (random.chance(0.15)) children.push(tag('camera', { fovy: '60' }))
  if (random.chance(0.2)) children.push(random.pick([tag('motor', { gear: '2' }), tag('position', { kp: '5' })]))
  if (random.chance(0.1)) children.push(tag('equality', { solref: '.1 1' }))
  if (random.chance(0.1)) children.push(tag('tendon', { width: '.01' }))
  const nested = depth < 3 ? random.pick(depth === 0 ? [1, 2, 3] : [0, 0, 1, 2]) : 0
  for (let i = 0; i < nested; i++) {
    const name = classes.length > 0 && random.chance(0.001) ? random.pick(classes) : `c${classes.length}`
    classes.push(name)
    // Nested sections may stand before the plain members, which are read first all the same.
    const section = tag('default', { class: name }, members(random, classes, depth + 1))
    if (random.chance(0.2)) children.unshift(section)
    else children.push(section)
  }
  return children
}

function jointDefault(random: Random, depth: number): Tag {
  // A ball by way of a class is mostly refused too: it stands next to another joint, or what refers to it needs one
  // degree of freedom.
  const types = random.chance(0.08) ? ['ball'] : ['hinge', 'slide', 'slide']
  // A free joint by way of a class deeper than a root body is refused, so only now and then.
  const free = depth > 0 && random.chance(0.05)
  return tag('joint', {
    type: free ? 'free' : random.chance(0.6) ? random.pick(types) : undefined,
    damping: random.chance(0.5) ? '1' : undefined,
    range: random.chance(0.1) ? '0 1' : undefined,
    limited: random.chance(0.05) ? 'false' : undefined,
    axis: random.chance(0.3) ? '0 1 0' : undefined,
  })
}
