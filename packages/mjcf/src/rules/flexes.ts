import { FUSED_HINT, fusedAway, namesAfterFusing } from '../compose/fuse-static.ts'
import type { Spec, SpecBody, SpecObject } from '../compose/types.ts'
import { wordsOf } from '../grammar/values.ts'
import type { XmlElement } from '../xml/element.ts'
import { alone, countIn, isLong, numberOf, numbersIn, textOf, vectorOf } from './fields.ts'
import type { Report } from './report.ts'
import { optionOf } from './settings.ts'
import { checkLasting } from './visuals.ts'

/** Checks flexes, including those created by flexcomps. */
export function checkFlexes(spec: Spec, report: Report): void {
  const flexes = spec.of('flex')
  const left = flexes.length > 0 ? namesAfterFusing(spec) : null
  for (const flex of flexes) {
    const gone = left === null ? undefined : flex.parts.find(({ name }) => !left.has(name) && spec.find('body', name))
    if (gone !== undefined) report.refused(flex, 'fused', `is held by ${fusedAway(gone.name)}`, FUSED_HINT)
    checkLasting(spec, flex, 'material', report)
    if (!flex.made) checkFlex(flex, report)
    else if (
      !isRigid(flex) &&
      ['mass', 'inertiabox'].some((name) => Number.isNaN(numberOf(alone(flex.element), name, 1)))
    )
      report.refused(flex, 'mass', 'has points whose mass or inertia is not a number')
    // Attach handles cells in another way.
    if (isOpen(flex) && flex.model !== spec.loaded) continue
    const fault =
      elasticFault(flex.element, flex.made && mayBeRigid(flex)) ??
      bendingFault(spec, flex) ??
      (isRigid(flex) || isOpen(flex) ? null : (integratorFault(spec, flex.element) ?? flatFault(flex)))
    if (fault !== null) report.refused(flex, 'elasticity', fault)
  }
  for (const flexcomp of flexcompsOf(spec.loaded.root)) checkFlexcomp(spec, flexcomp, report)
}

/**
 * Whether all points of a flex belong to one body. A flexcomp lists the bodies that hold it; none if they depend on a
 * file.
 */
export function isRigid(flex: SpecObject): boolean {
  const { element, parts } = flex
  if (isOpen(flex)) return false
  return (element.attributes.get('node') ?? '') === '' && parts.every(({ name }) => name === parts[0]?.name)
}

/** Whether the bodies that hold a flex depend on a file. */
function isOpen({ made, parts }: SpecObject): boolean {
  return made && parts.length === 0
}

function mayBeRigid(flex: SpecObject): boolean {
  return isRigid(flex) || (isOpen(flex) && flex.element.children.some(({ name }) => name === 'pin'))
}

const child = (element: XmlElement, name: string) => alone(element.children.find((at) => at.name === name) ?? NOTHING)
const NOTHING: XmlElement = { name: '', attributes: new Map(), children: [], file: '', line: 0 }

function dimOf(element: XmlElement): number {
  const type = element.name === 'flexcomp' ? element.attributes.get('type') : undefined
  return type === 'square' || type === 'disc' ? 2 : numberOf(alone(element), 'dim', 2)
}

const isInterpolated = (element: XmlElement) => ['trilinear', 'quadratic'].includes(element.attributes.get('dof') ?? '')

/** Checks that elasticity and contacts fit together. */
function elasticFault(element: XmlElement, rigid: boolean): string | null {
  const dim = dimOf(element)
  const interpolated = isInterpolated(element) && !rigid
  const contact = child(element, 'contact')
  const elasticity = child(element, 'elasticity')
  if (dim > 1 && numberOf(child(element, 'edge'), 'stiffness', 0) > 0) return 'has edge stiffness, which needs dim 1'
  if (interpolated && textOf(contact, 'selfcollide', 'auto') !== 'none') {
    return 'is interpolated, which needs selfcollide="none" in its contact'
  }
  if (interpolated && textOf(contact, 'internal', 'false') === 'true')
    return 'is interpolated and has internal collisions'
  const poisson = numberOf(elasticity, 'poisson', 0)
  const flat = textOf(elasticity, 'elastic2d', 'none') !== 'none'
  if (flat && numberOf(elasticity, 'thickness', -1) <= 0) return 'has elastic2d and no positive thickness'
  if ((flat || numberOf(elasticity, 'young', 0) > 0) && (poisson < 0 || poisson >= 0.5)) {
    return `has the Poisson ratio ${poisson}, which must be in 0 to 0.5`
  }
  return flat && dim !== 2 && !interpolated ? 'has elastic2d, which needs dim 2' : null
}

/** MuJoCo 3.14 integrates elasticity and passive contacts of flexes with some integrators only. */
function integratorFault(spec: Spec, element: XmlElement): string | null {
  const integrator = optionOf(spec, 'integrator') ?? 'Euler'
  if (textOf(child(element, 'contact'), 'passive', 'false') === 'true' && integrator !== 'discrete') {
    return `has passive contacts, which need the integrator discrete, and it is ${integrator}`
  }
  const elasticity = child(element, 'elasticity')
  const dim = dimOf(element)
  const stretches = dim === 3 || isInterpolated(element) || textOf(elasticity, 'elastic2d', 'none') !== 'none'
  const elastic = dim > 1 && stretches && numberOf(elasticity, 'young', 0) > 0
  return elastic && integrator.startsWith('implicit')
    ? `is elastic, which the integrator ${integrator} does not integrate`
    : null
}

/**
 * Points are interpolated in the box around them, which needs an extent in all three directions. A rotated flex may
 * have that.
 */
function flatFault({ made, element }: SpecObject): string | null {
  if (!made || !isInterpolated(element) || ROTATIONS.some((name) => element.attributes.has(name))) return null
  const type = element.attributes.get('type') ?? 'grid'
  const dim = dimOf(element)
  const flat = ['square', 'disc'].includes(type) || (['grid', 'circle'].includes(type) && dim < 3)
  if (!flat && type !== 'direct') return null
  const points = numbersIn(element.attributes.get('point'))
  const isThin = (axis: number) => {
    const places = points.filter((_, i) => i % 3 === axis)
    if (type === 'direct') return places.length > 0 && places.every((place) => place === places[0])
    return (axis === 2 || (axis === 1 && type === 'grid' && dim === 1)) && places.every((place) => place === 0)
  }
  return [0, 1, 2].some(isThin) ? 'is interpolated in a box without volume' : null
}

const ROTATIONS = ['quat', 'axisangle', 'xyaxes', 'zaxis', 'euler']

/** A point that takes part in bending must belong to a static body or to one with three joints. */
function bendingFault(spec: Spec, { element, parts }: SpecObject): string | null {
  const bends = ['bend', 'both'].includes(textOf(child(element, 'elasticity'), 'elastic2d', 'none'))
  if (!bends || dimOf(element) !== 2 || isInterpolated(element)) return null
  const joints = ({ name }: { readonly name: string }) =>
    (spec.find('body', name) as SpecBody | undefined)?.joints.length ?? 0
  const moving = parts.find((part) => joints(part) !== 0 && joints(part) !== 3)
  return moving === undefined ? null : `bends, and is pinned to the body "${moving.name}", which has joints`
}

function checkFlex(flex: SpecObject, report: Report): void {
  for (const { name } of flex.parts) report.target(flex, 'body', 'body', name)
  const fault = structureFault(flex.element)
  if (fault !== null) report.refused(flex, 'structure', fault)
}

function structureFault(element: XmlElement): string | null {
  const { attributes } = element
  const dim = dimOf(element)
  if (dim < 1 || dim > 3) return `has the dim ${dim}, and it can be 1, 2 or 3`
  if (isLong(attributes.get('element'))) return null
  const elements = numbersIn(attributes.get('element'))
  if (elements.length === 0) return 'has no elements'
  if (elements.length % (dim + 1) !== 0) return `has elements that do not come in vertices of ${dim + 1}`
  const [bodies = 0, nodes = 0] = ['body', 'node'].map((name) => wordsOf(attributes.get(name) ?? '').length)
  if (bodies === 0 && nodes === 0) return 'names no bodies'
  const coordinates = countIn(attributes.get('vertex'))
  if (coordinates % 3 !== 0) return 'has vertices that do not come in threes of numbers'
  const vertices = coordinates === 0 ? bodies : coordinates / 3
  if (coordinates > 0 && bodies !== 1 && bodies !== vertices) return `has ${vertices} vertices and ${bodies} bodies`
  if (vertices < dim + 1) return `has ${vertices} vertices, too few for one element`
  const dof = attributes.get('dof')
  const order = dof === 'trilinear' ? 1 : dof === 'quadratic' ? 2 : 0
  if (nodes > 0 && order === 0) return 'has nodes and no dof that says how they are used'
  const cells = vectorOf(alone(element), 'cellcount', [1, 1, 1])
  const expected = cells.reduce((product, count) => product * (count * order + 1), 1)
  if (order > 0 && (cells.includes(0) || nodes !== expected))
    return `has ${nodes} nodes, and its cellcount and dof ask for ${expected}`
  if (elements.some((vertex) => vertex < 0 || vertex >= vertices))
    return 'has an element with a vertex that does not exist'
  const texcoords = countIn(attributes.get('texcoord'))
  const mapped = countIn(attributes.get('elemtexcoord')) > 0
  if (texcoords !== 0 && texcoords !== 2 * vertices && !mapped) return 'has texcoords other than two for each vertex'
  for (let at = 0; at < elements.length; at += dim + 1) {
    if (new Set(elements.slice(at, at + dim + 1)).size <= dim) return 'has an element with the same vertex twice'
  }
  return null
}

function flexcompsOf(root: XmlElement): XmlElement[] {
  const found: XmlElement[] = []
  const pending = [root]
  for (let element = pending.pop(); element !== undefined; element = pending.pop()) {
    if (element.name === 'flexcomp') found.push(element)
    for (const at of element.children) pending.push(at)
  }
  return found.reverse()
}

/** Checks that do not depend on the points, which are unknown if they come from a file. */
function checkFlexcomp(spec: Spec, element: XmlElement, report: Report): void {
  const { attributes } = element
  const type = attributes.get('type') ?? 'grid'
  const flexcomp = { category: 'flex', name: attributes.get('name') ?? '', element } as const
  const refused = (rule: string, predicate: string) => report.refused(flexcomp, rule, predicate)
  if (type === 'mesh' || type === 'gmsh') {
    if ((attributes.get('file') ?? '') === '') refused('file', `is of type ${type} and has no file`)
    const held = attributes.get('rigid') === 'true' || element.children.some(({ name }) => name === 'pin')
    const fault = elasticFault(element, held) ?? (held ? null : integratorFault(spec, element))
    if (fault !== null) refused('elasticity', fault)
  }
}
