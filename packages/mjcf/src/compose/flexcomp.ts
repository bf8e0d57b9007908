/** `<flexcomp>`: a flex and, unless it is rigid, a body with unnamed slide joints for each point that is not pinned. */

import { short } from '../grammar/values.ts'
import { limits } from '../limits.ts'
import { numbersIn } from '../rules/fields.ts'
import type { XmlElement } from '../xml/element.ts'
import { admit, type Draft, freeName, lookUp } from './draft.ts'
import { pinsOf, stillPoints } from './flexcomp-pins.ts'
import { pointsOf } from './flexcomp-points.ts'
import { type Flexcomp, wholeNumbers } from './flexcomp-values.ts'
import { BodyNode, JointNode, type NodeInit, type SpecNode } from './node.ts'
import type { Place } from './place.ts'
import { addNode } from './read-objects.ts'

/** Slide joints of a point by the word in `dof`. */
const JOINTS: ReadonlyMap<string, number> = new Map([
  ['full', 3],
  ['radial', 1],
  ['2d', 2],
  ['trilinear', 3],
  ['quadratic', 3],
])

/** Adds the objects of a flexcomp; a rejected one is a fault, one that depends on a mesh file is undecided. */
export function readFlexcomp(place: Place, element: XmlElement): void {
  const { faults, undecided } = place.draft.building
  const flexcomp = flexcompOf(element)
  const made = faultOf(place, flexcomp) ?? outcomeOf(flexcomp, place.draft)
  if (typeof made === 'string') {
    faults.add('compile', element, `The flexcomp ${made}.`)
  } else if (made === null) {
    const reason = `The bodies of the flexcomp "${short(element.attributes.get('name') ?? '')}" depend on the content of a file.`
    // One message is enough: a model may have thousands of flexcomps.
    const abouts = undecided.length > 0 ? [] : (['joints', 'keyframes', 'sizes'] as const)
    for (const about of abouts) undecided.push({ about, reason })
    addFlex(place, element, [])
  } else {
    make(place, flexcomp, made)
  }
}

interface Outcome {
  readonly points: readonly number[]
  readonly pinned: ReadonlySet<number>
}

/**
 * The points and which of them are pinned; the predicate of an error sentence if MuJoCo rejects them; null if they
 * depend on more than the text of the model.
 */
function outcomeOf(flexcomp: Flexcomp, draft: Draft): Outcome | string | null {
  const points = pointsOf(flexcomp)
  if (typeof points === 'string') return points
  if (points === null) return flexcomp.rigid ? { points: [], pinned: new Set() } : null
  if (points.length > limits.objects) {
    draft.building.faults.refuse('limit', flexcomp.element, `The flexcomp has more than ${limits.objects} points.`)
  }
  const look = (count: number) => lookUp(draft, count, flexcomp.element)
  look(points.length)
  const pinned = pinsOf(flexcomp, points.length, look)
  return pinned === null || typeof pinned === 'string' ? pinned : { points, pinned }
}

function flexcompOf(element: XmlElement): Flexcomp {
  const { attributes } = element
  const type = attributes.get('type') ?? 'grid'
  const count = wholeNumbers(attributes.get('count'))
  const [written = 2] = wholeNumbers(attributes.get('dim'))
  return {
    element,
    type,
    dof: attributes.get('dof') ?? 'full',
    dim: type === 'square' || type === 'disc' ? 2 : written,
    count: [count[0] ?? 10, count[1] ?? 10, count[2] ?? 10],
    rigid: attributes.get('rigid') === 'true',
  }
}

function faultOf({ body }: Place, { element, type, dof, dim, count }: Flexcomp): string | null {
  const { attributes } = element
  const numbers = (name: string, initial: readonly number[]) => {
    const given = numbersIn(attributes.get(name))
    return initial.map((value, i) => given[i] ?? value)
  }
  if (body.name === '') return 'is in a body without a name'
  if (!(dim >= 1 && dim <= 3)) return `has the dim ${dim}, and it can be 1, 2 or 3`
  if (count.some((n) => n < 1 || (dof === 'radial' && dim === 3 && n < 2))) return 'has a count that is too small'
  const [radius = 0] = numbers('radius', [0.005])
  const contact = element.children.find(({ name }) => name === 'contact')
  const [margin = 0] = numbersIn(contact?.attributes.get('margin'))
  const direct = type === 'direct' || type === 'mesh' || type === 'gmsh'
  const tight = numbers('spacing', [0.02, 0.02, 0.02]).some((n) => n < 2 * radius + margin)
  if (!direct && tight) return 'has a spacing below the size of its points'
  if (numbers('scale', [1, 1, 1]).some((n) => n < 1e-15)) return 'has a scale that is not above 0'
  if (numbers('mass', [1]).some((n) => n < 1e-15)) return 'has a mass that is not above 0'
  if (numbers('inertiabox', [0.005]).some((n) => n < 1e-15)) return 'has an inertiabox that is not above 0'
  return null
}

function make(place: Place, flexcomp: Flexcomp, { points, pinned }: Outcome): void {
  const { element, dof } = flexcomp
  const { draft, body: parent } = place
  const name = element.attributes.get('name') ?? ''
  const init = (own: Readonly<Record<string, string>>, at = ''): NodeInit => {
    return { name: at, element, model: draft.loaded, own: new Map(Object.entries(own)) }
  }
  const rigid = flexcomp.rigid || points.every((point) => pinned.has(point))
  const nodes = dof === 'trilinear' ? 2 : dof === 'quadratic' ? 3 : 0
  const wanted = rigid ? [] : nodes > 0 ? nodeNames(flexcomp, nodes, pinned) : pointNames(name, points, pinned)
  const names = wanted.map((one) => freeName(draft, 'body', one))
  const holders = rigid
    ? [parent.name]
    : [...names, ...(names.length < points.length || nodes > 0 ? [parent.name] : [])]
  addFlex(place, element, holders)
  const still = dof === 'radial' ? stillPoints(flexcomp) : new Set<number>()
  const stillNames = new Set(points.flatMap((point, i) => (still.has(point) ? [`${name}_${i}`] : [])))
  for (const [i, at] of names.entries()) {
    const axis: Readonly<Record<string, string>> = stillNames.has(wanted[i] ?? '') ? { axis: '0 0 0' } : {}
    const body = new BodyNode(init({}, at), parent.className)
    body.body = parent
    parent.bodies.push(body)
    admit(draft, body)
    const layers = draft.classes.last.get(parent.className)?.layers.get('joint')
    for (let n = 0; n < (JOINTS.get(dof) ?? 3); n += 1) {
      const joint = new JointNode({ ...init({ type: 'slide', ...axis }), layers }, 'slide')
      joint.body = body
      body.joints.push(joint)
      admit(draft, joint as SpecNode)
    }
  }
}

/** The flex, with the bodies that hold it; no bodies if they depend on a file. */
function addFlex({ draft }: Place, element: XmlElement, holders: readonly string[]): void {
  const { attributes } = element
  const wanted = attributes.get('name') ?? ''
  const own = new Map([...attributes].filter(([name]) => name === 'material'))
  const parts = holders.map((name) => ({ element, name, side: '' }))
  addNode(draft, 'flex', { name: freeName(draft, 'flex', wanted), element, model: draft.loaded, own, parts })
  const edge = element.children.find(({ name }) => name === 'edge')
  if ((edge?.attributes.get('equality') ?? 'false') === 'false') return
  const targets = [{ attribute: 'flex', category: 'flex' }] as const
  addNode(draft, 'equality', { element, model: draft.loaded, own: new Map([['flex', wanted]]), targets })
}

function pointNames(name: string, points: readonly number[], pinned: ReadonlySet<number>): string[] {
  return points.flatMap((point, i) => (pinned.has(point) ? [] : [`${name}_${i}`]))
}

/** The points of the box in which a flex is interpolated; a shell has no inner points. */
function nodeNames({ element }: Flexcomp, side: number, pinned: ReadonlySet<number>): string[] {
  const elasticity = element.children.find(({ name }) => name === 'elasticity')
  const shell = (elasticity?.attributes.get('elastic2d') ?? 'none') !== 'none'
  const names: string[] = []
  for (let i = 0; i < side ** 3; i += 1) {
    const at = [Math.floor(i / side ** 2), Math.floor(i / side) % side, i % side]
    const inside = at.every((n) => n > 0 && n < side - 1)
    if (!pinned.has(i) && !(shell && inside)) names.push(`${element.attributes.get('name') ?? ''}_${at.join('_')}`)
  }
  return names
}
