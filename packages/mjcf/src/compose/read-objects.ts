/**
 * Objects outside the body tree: assets, contacts, constraints, tendons, actuators, sensors, custom data, keyframes.
 */

import { wordsOf } from '../grammar/values.ts'
import { actuatorState } from '../rules/actuator-state.ts'
import { labelOf } from '../rules/fields.ts'
import type { XmlElement } from '../xml/element.ts'
import type { DefaultClass, Slot } from './defaults.ts'
import { admit, type Draft, isNamed, type ListCategory, listOf } from './draft.ts'
import { readKey } from './keys.ts'
import { type NodeInit, SpecNode, type Target } from './node.ts'
import { reportTwice } from './report-twice.ts'
import { actuatorTargets, EXCLUDE_TARGETS, equalityTargets, PAIR_TARGETS, sensorTargets } from './targets.ts'
import type { SpecCategory, SpecPart } from './types.ts'

/** The default class of an element, undefined if it has none; an unknown class is a fault. */
export function classOf(draft: Draft, element: XmlElement, attribute = 'class'): DefaultClass | undefined {
  const name = element.attributes.get(attribute)
  if (name === undefined) return undefined
  const found = draft.classes.first.get(name)
  if (found === undefined) {
    draft.building.faults.add(
      'reference',
      element,
      `${attribute} "${name}" of <${element.name}> is not a default class.`,
      {
        names: [name],
        hint: 'Default classes are defined by <default class="…"> inside the top-level <default>.',
      },
    )
  }
  return found
}

const SECTIONS: ReadonlyMap<string, (draft: Draft, element: XmlElement) => void> = new Map([
  ['asset', readAsset],
  ['contact', readContact],
  ['deformable', readDeformable],
  [
    'equality',
    (draft, element) =>
      add({ draft, category: 'equality', element, slot: 'equality', targets: equalityTargets(element) }),
  ],
  ['tendon', readTendon],
  ['actuator', readActuator],
  [
    'sensor',
    (draft, element) => add({ draft, category: 'sensor', element, slot: null, targets: sensorTargets(element) }),
  ],
  ['custom', readCustom],
  ['keyframe', readKeyframe],
  ['extension', readExtension],
])

/** MuJoCo reads the sections in this order, whatever their order in the file. */
export const SECTION_ORDER = [
  'extension',
  'custom',
  'asset',
  'contact',
  'deformable',
  'equality',
  'tendon',
  'actuator',
  'sensor',
  'keyframe',
] as const

/** Reads one section. */
export function readSection(draft: Draft, section: XmlElement): void {
  const read = SECTIONS.get(section.name)
  if (read !== undefined) for (const element of section.children) read(draft, element)
}

function add({
  draft,
  category,
  element,
  slot,
  targets = [],
  parts = [],
}: {
  readonly draft: Draft
  readonly category: ListCategory
  readonly element: XmlElement
  readonly slot: Slot | null
  readonly targets?: readonly Target[]
  readonly parts?: readonly SpecPart[]
}): void {
  const layers = slot === null ? undefined : (classOf(draft, element) ?? draft.classes.main).layers.get(slot)
  addNode(draft, category, {
    name: element.attributes.get('name') ?? '',
    element,
    model: draft.loaded,
    layers,
    targets,
    parts,
  })
}

/** Adds an object to its list; its references are taken from its attributes, own or default. */
export function addNode(draft: Draft, category: ListCategory, init: NodeInit): void {
  const node = new SpecNode(category, init)
  node.refs = refsOf(node)
  admit(draft, node)
  listOf(draft, category).push(node)
}

/** Attributes whose targets are not needed for a copy. */
const LOOSE: Partial<Record<SpecCategory, readonly string[]>> = {
  geom: ['mesh', 'hfield', 'material'],
  site: ['mesh', 'material'],
  camera: ['target'],
  light: ['target', 'texture'],
  tendon: ['material'],
  flex: ['material'],
  mesh: ['material'],
  skin: ['material'],
  material: ['texture'],
  actuator: ['slidersite', 'refsite'],
}

/** The names in the referring attributes of an object. */
export function refsOf(node: SpecNode): ReadonlyMap<string, string> {
  const refs = new Map<string, string>()
  const attributes = [...(LOOSE[node.category] ?? []), ...node.targets.map(({ attribute }) => attribute)]
  for (const attribute of attributes) {
    const name = node.attr(attribute) ?? ''
    if (name !== '') refs.set(attribute, name)
  }
  return refs.size === 0 ? NO_REFS : refs
}

const NO_REFS: ReadonlyMap<string, string> = new Map()

/** The words of a text; none where it is absent. */
function wordsIn(text: string | undefined): string[] {
  return text === undefined ? [] : wordsOf(text)
}

const partsOf = (elements: readonly XmlElement[], attribute: string): SpecPart[] =>
  elements.map((element) => ({ element, name: element.attributes.get(attribute) ?? '', side: '' }))

function readAsset(draft: Draft, element: XmlElement): void {
  const { name, children } = element
  if (name === 'mesh') add({ draft, category: name, element, slot: name })
  if (name === 'material')
    add({ draft, category: name, element, slot: name, targets: [], parts: partsOf(children, 'texture') })
  if (name === 'hfield' || name === 'texture') add({ draft, category: name, element, slot: null })
  if (name === 'skin') readSkin(draft, element)
}

function readSkin(draft: Draft, element: XmlElement): void {
  const bones = element.children.filter(({ name }) => name === 'bone')
  add({ draft, category: 'skin', element, slot: null, targets: [], parts: partsOf(bones, 'body') })
}

function readContact(draft: Draft, element: XmlElement): void {
  if (element.name === 'pair') add({ draft, category: 'pair', element, slot: 'pair', targets: PAIR_TARGETS })
  else add({ draft, category: 'exclude', element, slot: null, targets: EXCLUDE_TARGETS })
}

function readDeformable(draft: Draft, element: XmlElement): void {
  if (element.name === 'skin') readSkin(draft, element)
  else readFlex(draft, element)
}

function readFlex(draft: Draft, element: XmlElement): void {
  const { attributes } = element
  const bodies = [...wordsIn(attributes.get('body')), ...wordsIn(attributes.get('node'))]
  const parts = bodies.map((name) => ({ element, name, side: '' }))
  add({ draft, category: 'flex', element, slot: null, targets: [], parts })
}

function readTendon(draft: Draft, element: XmlElement): void {
  const path = element.children.map((part) => ({
    element: part,
    name: part.attributes.get(part.name) ?? '',
    side: part.attributes.get('sidesite') ?? '',
  }))
  add({ draft, category: 'tendon', element, slot: 'tendon', targets: [], parts: path })
}

/** The gains of an attached model are checked when read, whether or not they are copied. */
function readActuator(draft: Draft, element: XmlElement): void {
  add({ draft, category: 'actuator', element, slot: 'actuator', targets: actuatorTargets(element) ?? [] })
  const { faults, top } = draft.building
  const added = listOf(draft, 'actuator').at(-1)
  const fault = draft.loaded === top || added === undefined ? null : actuatorState(added).fault
  if (fault !== null && added !== undefined) faults.add('compile', element, `${labelOf(added)} ${fault}.`)
}

function readCustom(draft: Draft, element: XmlElement): void {
  const { name, children } = element
  if (name === 'numeric' || name === 'text') add({ draft, category: name, element, slot: null })
  if (name === 'tuple')
    add({ draft, category: 'tuple', element, slot: null, targets: [], parts: partsOf(children, 'objname') })
}

function readKeyframe(draft: Draft, element: XmlElement): void {
  const key = readKey(element)
  if (key.name !== '' && isNamed(draft, 'key', key.name)) reportTwice(draft.building, 'key', key.name, element)
  admitKey(draft, key.name)
  draft.keys.push(key)
}

function admitKey(draft: Draft, name: string): void {
  const names = draft.names.get('key') ?? new Map<string, number>()
  draft.names.set('key', names.set(name, (names.get(name) ?? 0) + 1))
}

function readExtension(draft: Draft, element: XmlElement): void {
  for (const child of element.children)
    if (child.name === 'instance') add({ draft, category: 'plugin', element: child, slot: null })
}
