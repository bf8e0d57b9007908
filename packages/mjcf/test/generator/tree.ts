/** Generated bodies and what is in them: joints, geoms, sites, frames, replicates. */

import type { Names } from './names.ts'
import { nameOf, remember } from './names.ts'
import { cable, grid } from './soft.ts'
import { type Tag, tag } from './tag.ts'

export interface TreeSettings {
  readonly names: Names
  /** Default classes, without `main`. */
  readonly classes: readonly string[]
  readonly meshes: readonly string[]
  readonly materials: readonly string[]
  /** Makes an attach of a child model, or null if there is none to attach. */
  attach(): Tag | null
  /** Bodies that may still be made; counts down. */
  bodiesLeft: number
}

const place = (settings: TreeSettings) => {
  const { random } = settings.names
  return {
    pos: random.chance(0.5) ? `${random.int(-3, 3)} .5 ${random.int(0, 9)}e-1` : undefined,
    euler: random.chance(0.2) ? '0 10 20' : undefined,
  }
}

const classOf = ({ names: { random }, classes }: TreeSettings, p: number) => {
  if (!random.chance(p)) return undefined
  if (random.chance(0.002)) return 'nowhere'
  return random.chance(0.1) || classes.length === 0 ? 'main' : random.pick(classes)
}

/** What a worldbody holds. */
export function worldChildren(settings: TreeSettings): Tag[] {
  const { random } = settings.names
  const children: Tag[] = []
  if (random.chance(0.5))
    children.push(tag('geom', { type: 'plane', size: '1 1 .1', name: nameOf(settings.names, 'geom') }))
  if (random.chance(0.4)) children.push(tag('light', { pos: '0 0 3', name: nameOf(settings.names, 'light') }))
  if (random.chance(0.3)) children.push(tag('camera', { pos: '0 0 3', name: nameOf(settings.names, 'camera') }))
  if (random.chance(0.2)) children.push(tag('site', { ...place(settings), name: nameOf(settings.names, 'site') }))
  const count = random.int(1, 3)
  for (let i = 0; i < count; i++) children.push(...containers(settings, 0, true))
  return children
}

/** One body, or a frame, replicate or attach in place of it. */
function containers(settings: TreeSettings, depth: number, atWorld: boolean): Tag[] {
  const { names } = settings
  const { random } = names
  const childclass = classOf(settings, 0.3)
  const kind = random.int(0, 99)
  if (kind < 12) {
    const name = random.chance(0.5) ? nameOf(names, 'frame') : undefined
    return [tag('frame', { name, childclass, ...place(settings) }, inside(settings, depth, atWorld))]
  }
  if (kind < 20 && depth < 3) return [replicate(settings, inside(settings, depth + 1, atWorld))]
  if (kind < 28) {
    const attached = settings.attach()
    if (attached) return [attached]
  }
  return body(settings, depth, atWorld)
}

function inside(settings: TreeSettings, depth: number, atWorld: boolean): Tag[] {
  const { random } = settings.names
  const children = containers(settings, depth, atWorld)
  if (random.chance(0.3)) children.push(tag('site', { name: nameOf(settings.names, 'site'), ...place(settings) }))
  // In a frame below a body these belong to the body.
  if (!atWorld && random.chance(0.25)) children.unshift(joint(settings, false), geom(settings))
  return children
}

function replicate(settings: TreeSettings, children: Tag[]): Tag {
  const { random } = settings.names
  const count = random.chance(0.06) ? random.pick([0, 1, 9, 10, 11, 100, 101]) : random.int(2, 4)
  return tag(
    'replicate',
    {
      count: String(count),
      sep: random.chance(0.5) ? random.pick(['-', '_', '', ' ', '__']) : undefined,
      offset: random.chance(0.6) ? '.1 0 0' : undefined,
      euler: random.chance(0.4) ? '0 0 30' : undefined,
      childclass: classOf(settings, 0.15),
    },
    children,
  )
}

function body(settings: TreeSettings, depth: number, atWorld: boolean): Tag[] {
  if (settings.bodiesLeft <= 0) return []
  settings.bodiesLeft--
  const { names } = settings
  const { random } = names
  const own: Tag[] = []
  const below: Tag[] = []
  const attributes: Record<string, string | undefined> = {
    name: nameOf(names, 'body'),
    childclass: classOf(settings, 0.25),
    ...place(settings),
  }
  const base = atWorld ? random.int(0, 9) : random.chance(0.004) ? random.int(0, 2) : 9
  if (base === 0) own.push(tag('freejoint', { name: nameOf(names, 'joint') }))
  else if (base === 1) own.push(tag('joint', { name: nameOf(names, 'joint'), type: 'free' }))
  else if (base === 2) attributes.mocap = 'true'
  else {
    const joints = random.pick([0, 1, 1, 1, 1, 2, 3])
    for (let i = 0; i < joints; i++) own.push(joint(settings, joints === 1))
  }
  own.push(geom(settings))
  if (random.chance(0.3)) own.push(geom(settings))
  if (random.chance(0.35)) own.push(tag('site', { name: nameOf(names, 'site'), class: classOf(settings, 0.1) }))
  if (random.chance(0.1)) own.push(tag('camera', { name: nameOf(names, 'camera'), class: classOf(settings, 0.1) }))
  if (random.chance(0.1)) own.push(tag('inertial', { pos: '0 0 0', mass: '1', diaginertia: '1 1 1' }))
  if (attributes.name !== undefined && random.chance(0.02)) own.push(grid(names))
  if (random.chance(0.02)) own.push(cable(names))
  const children = depth < 4 ? random.pick([0, 0, 1, 1, 2]) : 0
  for (let i = 0; i < children; i++) below.push(...containers(settings, depth + 1, false))
  // Joints come before those of child bodies wherever they are written.
  return [tag('body', attributes, random.chance(0.3) ? [...below, ...own] : [...own, ...below])]
}

/** A ball joint next to other joints is mostly refused, so it is mostly alone. */
function joint(settings: TreeSettings, alone: boolean): Tag {
  const { names } = settings
  const { random } = names
  const ball = random.chance(alone ? 0.12 : 0.01)
  const type = ball ? 'ball' : random.chance(0.5) ? random.pick(['hinge', 'slide']) : undefined
  const limits = random.int(0, 9)
  const name = nameOf(names, 'joint')
  if (name !== undefined && !ball) remember(names, 'scalar', name)
  return tag('joint', {
    name,
    class: classOf(settings, 0.3),
    type,
    axis: random.chance(0.5) ? random.pick(['1 0 0', '0 1 0', '0 0 -2']) : undefined,
    range: limits < 3 ? (ball ? '0 90' : random.pick(['-1 1', '0 90', '0 1'])) : undefined,
    limited: limits === 0 ? random.pick(['true', 'false', 'auto']) : undefined,
    damping: random.chance(0.2) ? '.1' : undefined,
    ref: random.chance(0.1) ? '.2' : undefined,
  })
}

function geom(settings: TreeSettings): Tag {
  const { names, meshes, materials } = settings
  const { random } = names
  const common = {
    name: random.chance(0.3) ? nameOf(names, 'geom') : undefined,
    class: classOf(settings, 0.1),
    material: materials.length > 0 && random.chance(0.2) ? random.pick(materials) : undefined,
  }
  if (meshes.length > 0 && random.chance(0.4))
    return tag('geom', { ...common, type: 'mesh', mesh: random.pick(meshes) })
  return tag('geom', { ...common, ...random.pick(shapes) })
}

const shapes: readonly Record<string, string>[] = [
  { type: 'sphere', size: '.1' },
  { type: 'box', size: '.1 .2 .3' },
  { type: 'capsule', fromto: '0 0 0 0 0 1', size: '.05' },
  { type: 'cylinder', size: '.1 .2' },
  { type: 'ellipsoid', size: '.1 .2 .3', mass: '2' },
]
