/** Default classes: for each kind of element the values applied before its own attributes. */
import type { Faults } from '../fault.ts'
import { limits } from '../limits.ts'
import type { XmlElement } from '../xml/element.ts'
import { type Rename, renamed } from './node.ts'

/** Kinds that have defaults. All actuator elements share one. */
export type Slot =
  | 'mesh'
  | 'material'
  | 'joint'
  | 'geom'
  | 'site'
  | 'camera'
  | 'light'
  | 'pair'
  | 'equality'
  | 'tendon'
  | 'actuator'

const SLOTS: ReadonlySet<string> = new Set([
  'mesh',
  'material',
  'joint',
  'geom',
  'site',
  'camera',
  'light',
  'pair',
  'equality',
  'tendon',
])

export interface DefaultClass {
  readonly name: string
  readonly layers: Map<Slot, readonly XmlElement[]>
  readonly children: DefaultClass[]
}

export interface DefaultClasses {
  readonly main: DefaultClass
  /** A class named in an attribute is the first with that name: after an attach without a prefix there may be more. */
  readonly first: Map<string, DefaultClass>
  /** A class inherited by position is the last with that name. */
  readonly last: Map<string, DefaultClass>
}

/** The one class that each model starts with. */
export function initialClasses(): DefaultClasses {
  const main: DefaultClass = { name: 'main', layers: new Map(), children: [] }
  return { main, first: new Map([['main', main]]), last: new Map([['main', main]]) }
}

/**
 * Reads one top-level `<default>` section. Later sections add to the result of earlier ones, but not to classes that
 * were created in between.
 */
export function readDefaults(classes: DefaultClasses, section: XmlElement, faults: Faults): void {
  const name = section.attributes.get('class') ?? ''
  if (name !== '' && name !== 'main') {
    faults.add('name', section, `The top-level default class is "main" and cannot be called "${name}".`, {
      names: [name],
      hint: 'Leave out its class, or put a <default> with that class inside it.',
    })
  }
  readContent(classes, section, classes.main, faults)
}

function readContent(classes: DefaultClasses, section: XmlElement, into: DefaultClass, faults: Faults): void {
  for (const element of section.children) {
    if (element.name === 'default') continue
    const slot = SLOTS.has(element.name) ? (element.name as Slot) : 'actuator'
    const layers = into.layers.get(slot) ?? []
    if (layers.length >= limits.layers) {
      faults.refuse('limit', element, `More than ${limits.layers} elements of one kind add to a default class.`)
    }
    into.layers.set(slot, [...layers, element])
  }
  for (const element of section.children) if (element.name === 'default') readNested(classes, element, into, faults)
}

/** A nested class starts as a copy of its parent after the parent's own elements were read. */
function readNested(classes: DefaultClasses, section: XmlElement, parent: DefaultClass, faults: Faults): void {
  const name = section.attributes.get('class') ?? ''
  if (name === '') {
    faults.add('name', section, 'A nested <default> has no class.', {
      hint: 'Give it a class="…" that elements can refer to.',
    })
  } else if (classes.first.has(name)) {
    faults.add('name', section, `The default class "${name}" is defined twice.`, { names: [name] })
  }
  const nested: DefaultClass = { name, layers: new Map(parent.layers), children: [] }
  parent.children.push(nested)
  enter(classes, nested)
  readContent(classes, section, nested, faults)
}

function enter({ first, last }: DefaultClasses, added: DefaultClass): void {
  if (!first.has(added.name)) first.set(added.name, added)
  last.set(added.name, added)
}

/** Adds the classes of an attached model under their new names. */
export function attachClasses(into: DefaultClasses, from: DefaultClasses, rename: Rename): void {
  const copy = ({ name, layers, children }: DefaultClass): DefaultClass => {
    return { name: renamed(name, rename), layers, children: children.map(copy) }
  }
  const enterAll = (added: DefaultClass): void => {
    enter(into, added)
    added.children.forEach(enterAll)
  }
  const root = copy(from.main)
  into.main.children.push(root)
  enterAll(root)
}
