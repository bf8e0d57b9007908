/** A model under construction: the state at one point of the document, which copies and key sizes depend on. */
import { type Compiler, compilerOf } from '../compiler.ts'
import { limits } from '../limits.ts'
import type { LoadedModel } from '../load/loaded-model.ts'
import type { XmlElement } from '../xml/element.ts'
import type { Building } from './building.ts'
import { type DefaultClasses, initialClasses } from './defaults.ts'
import { POSITIONS, VELOCITIES } from './joint-sizes.ts'
import { BodyNode, bodiesBelow, type JointNode, type SpecNode, TREE_LISTS } from './node.ts'
import { reportTwice } from './report-twice.ts'
import type { KeyField, SpecCategory } from './types.ts'

/** Objects outside the tree of bodies. */
export type ListCategory = Exclude<
  SpecCategory,
  'body' | 'frame' | 'joint' | 'geom' | 'site' | 'camera' | 'light' | 'key'
>

export interface DraftKey {
  readonly name: string
  readonly element: XmlElement
  readonly lengths: Partial<Record<KeyField, number>>
  /** Reported once, although each copy has the fault again. */
  refused: boolean
}

export interface Draft {
  readonly building: Building
  readonly loaded: LoadedModel
  readonly compiler: Compiler
  readonly world: BodyNode
  readonly lists: ReadonlyMap<ListCategory, SpecNode[]>
  readonly classes: DefaultClasses
  /** The model's own keys, until a replicate carries all of them over. */
  keys: DraftKey[]
  /** Keys that attach and replicate carried over, in that order; they are padded to the final size of the model. */
  carried: DraftKey[]
  /** Model assets by name; the first one if a name is repeated. */
  readonly assets: Map<string, Draft>
  readonly attached: Set<LoadedModel>
  /** Settings of the whole model that came from attached models, by section and name. */
  readonly adopted: Map<string, string>
  /** Number of uses of each name; '' counts the unnamed. */
  readonly names: Map<SpecCategory, Map<string, number>>
  /** Joints and geoms by name, for copies that depend on their type. */
  readonly known: Map<string, SpecNode>
  readonly sizes: { nq: number; nv: number; nmocap: number }
}

/** An empty model. */
export function newDraft(building: Building, loaded: LoadedModel): Draft {
  const compiler = compilerOf(loaded.root)
  building.compilers.set(loaded, compiler)
  const world = new BodyNode({ name: 'world', element: loaded.root, model: loaded, own: new Map() }, 'main')
  const draft: Draft = {
    building,
    loaded,
    compiler,
    world,
    lists: new Map(LIST_CATEGORIES.map((category) => [category, []])),
    classes: initialClasses(),
    keys: [],
    carried: [],
    assets: new Map(),
    attached: new Set(),
    adopted: new Map(),
    names: new Map(),
    known: new Map(),
    sizes: { nq: 0, nv: 0, nmocap: 0 },
  }
  enter(draft, world)
  return draft
}

/** All of them. */
export const LIST_CATEGORIES: readonly ListCategory[] = [
  'flex',
  'mesh',
  'skin',
  'hfield',
  'texture',
  'material',
  'pair',
  'exclude',
  'equality',
  'tendon',
  'actuator',
  'sensor',
  'numeric',
  'text',
  'tuple',
  'plugin',
]

/** The objects of a category outside the tree. */
export function listOf(draft: Draft, category: ListCategory): SpecNode[] {
  return draft.lists.get(category) ?? []
}

/** Whether an object of the category has the name; '' means an unnamed one. */
export function isNamed(draft: Draft, category: SpecCategory, name: string): boolean {
  return (draft.names.get(category)?.get(name) ?? 0) > 0
}

/**
 * Adds an object that was just read to the names and sizes: names of one category are unique in the document so far.
 */
export function admit(draft: Draft, node: SpecNode): void {
  reserve(draft, 1, node.element)
  if (node.name !== '' && isNamed(draft, node.category, node.name)) {
    reportTwice(draft.building, node.category, node.name, node.element)
  }
  enter(draft, node)
}

/** The name of an object that a composite or flexcomp creates; empty if the name is already taken. */
export function freeName(draft: Draft, category: SpecCategory, name: string): string {
  return isNamed(draft, category, name) ? '' : name
}

/** Reserves a number of objects before they are created, so that an expansion over the cap costs nothing. */
export function reserve({ building }: Draft, objects: number, at: XmlElement): void {
  building.spent.objects += objects
  if (building.spent.objects > limits.objects) {
    building.faults.refuse('limit', at, `The model expands to more than ${limits.objects} objects.`, {
      hint: 'replicate, attach, composite and flexcomp multiply what they hold.',
    })
  }
}

/** Counts look-ups of references: copying n objects examines every reference n times. */
export function lookUp({ building }: Draft, count: number, at: XmlElement): void {
  building.spent.lookups += count
  if (building.spent.lookups > limits.lookups) {
    building.faults.refuse(
      'limit',
      at,
      `More than ${limits.lookups} names and points are looked at while the model is put together.`,
    )
  }
}

/** Registers the names and sizes of a new object. */
export function enter(draft: Draft, node: SpecNode): void {
  change(draft, node, 1)
}

/** Removes a body and all its descendants. */
export function leave(draft: Draft, top: BodyNode): void {
  for (const body of bodiesBelow(top)) {
    change(draft, body, -1)
    draft.building.spent.objects -= 1
    for (const list of TREE_LISTS) {
      for (const node of body[list]) change(draft, node, -1)
      draft.building.spent.objects -= body[list].length
    }
  }
}

/** Removes an object outside the tree. */
export function leaveList(draft: Draft, node: SpecNode): void {
  change(draft, node, -1)
  draft.building.spent.objects -= 1
}

/** The joint or geom of that name. */
export function knownNode({ known }: Draft, category: 'joint' | 'geom', name: string): SpecNode | undefined {
  return known.get(`${category} ${name}`)
}

function change({ names, known, sizes }: Draft, node: SpecNode, by: 1 | -1): void {
  const counts = names.get(node.category) ?? new Map<string, number>()
  names.set(node.category, counts)
  const count = (counts.get(node.name) ?? 0) + by
  if (count > 0) counts.set(node.name, count)
  else counts.delete(node.name)
  if (node.category === 'joint' || node.category === 'geom') {
    const key = `${node.category} ${node.name}`
    if (by > 0) known.set(key, node)
    else if (known.get(key) === node) known.delete(key)
  }
  if (node.category === 'joint') {
    const { type } = node as JointNode
    sizes.nq += by * POSITIONS[type]
    sizes.nv += by * VELOCITIES[type]
  } else if (node.category === 'body' && (node as BodyNode).mocap) {
    sizes.nmocap += by
  }
}
