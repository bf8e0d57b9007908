/** From trees to objects. */
import type { Faults } from '../fault.ts'
import type { LoadedModel } from '../load/loaded-model.ts'
import { numbersIn } from '../rules/fields.ts'
import type { XmlElement } from '../xml/element.ts'
import { fileName } from './attach.ts'
import type { Building } from './building.ts'
import { checkNames } from './check-names.ts'
import { readDefaults } from './defaults.ts'
import { type Draft, enter, type ListCategory, leaveList, listOf, newDraft, reserve } from './draft.ts'
import { checkFreeJoints } from './free-joints.ts'
import { fillKeys } from './keys.ts'
import { checkMadeAxes, checkMadeReferences } from './made-references.ts'
import { type BodyNode, bodiesBelow, type SpecNode } from './node.ts'
import { readSection, SECTION_ORDER } from './read-objects.ts'
import { readContent } from './read-tree.ts'
import type { Spec, SpecCategory, SpecKey } from './types.ts'

/**
 * Builds the model: all faults of names, classes and copies are added to `faults`; an expansion over a cap ends the
 * reading.
 */
export function buildSpec(loaded: LoadedModel, faults: Faults): Spec {
  const building: Building = {
    faults,
    top: loaded,
    spent: { objects: 0, lookups: 0 },
    undecided: [],
    compilers: new Map(),
    twice: new Set(),
  }
  const draft = draftOf(building, loaded)
  nameByFile(draft)
  fillKeys(draft)
  checkMadeReferences(draft, faults)
  const spec = specOf(draft)
  checkNames(spec, building)
  checkFreeJoints(spec, faults)
  checkMadeAxes([...bodiesBelow(draft.world)], faults)
  return spec
}

/**
 * Sections of one kind are read together, wherever they occur; models that are assets are built before the tree that
 * attaches them.
 */
function draftOf(building: Building, loaded: LoadedModel): Draft {
  const draft = newDraft(building, loaded)
  const { children } = loaded.root
  const sections = (name: string) => children.filter((section) => section.name === name)
  for (const section of sections('default')) readDefaults(draft.classes, section, building.faults)
  for (const name of SECTION_ORDER) for (const section of sections(name)) readSection(draft, section)
  for (const section of sections('asset')) buildAssets(draft, section)
  for (const section of sections('worldbody')) {
    readContent({ draft, body: draft.world, frame: null, className: 'main' }, section)
  }
  return draft
}

function buildAssets(draft: Draft, section: XmlElement): void {
  for (const element of section.children) {
    const child = element.name === 'model' ? draft.loaded.models.get(element) : undefined
    if (child === undefined) continue
    const name = element.attributes.get('name') ?? modelName(child) ?? 'MuJoCo Model'
    const built = draftOf(draft.building, child)
    if (!draft.assets.has(name)) draft.assets.set(name, built)
  }
}

function modelName({ root }: LoadedModel): string | undefined {
  return root.attributes.get('model')
}

const NAMED_BY_FILE: readonly ListCategory[] = ['mesh', 'skin', 'hfield', 'texture']

function nameByFile(draft: Draft): void {
  for (const category of NAMED_BY_FILE) {
    for (const node of listOf(draft, category)) {
      if (node.name !== '') continue
      leaveList(draft, node)
      node.name = fileName(node)
      enter(draft, node)
    }
  }
}

function specOf(draft: Draft): Spec {
  const { building, loaded, compiler, world } = draft
  const bodies = [...bodiesBelow(world)]
  const within = (list: 'joints' | 'geoms' | 'sites' | 'cameras' | 'lights' | 'frames') =>
    bodies.flatMap<SpecNode>((body) => body[list])
  const objects = new Map<SpecCategory, readonly SpecNode[]>([
    ['body', bodies],
    ['joint', within('joints')],
    ['geom', within('geoms')],
    ['site', within('sites')],
    ['camera', within('cameras')],
    ['light', within('lights')],
    ['frame', within('frames')],
    ...draft.lists,
  ])
  const named = new Map<SpecCategory, Map<string, SpecNode>>()
  const byName = (category: SpecCategory) => {
    const known = named.get(category)
    if (known !== undefined) return known
    const made = new Map(
      (objects.get(category) ?? []).filter(({ name }) => name !== '').map((node) => [node.name, node]),
    )
    named.set(category, made)
    return made
  }
  return {
    loaded,
    model: modelName(loaded) ?? null,
    compiler,
    compilers: building.compilers,
    attached: draft.attached,
    adopted: draft.adopted,
    world,
    bodies: bodies as readonly BodyNode[],
    joints: bodies.flatMap((body) => body.joints),
    of: (category) => objects.get(category) ?? [],
    find: (category, name) => byName(category).get(name),
    keys: keysOf(draft),
    undecided: building.undecided,
  }
}

/** Own keys, then those that `<size nkey>` requires, then those carried over by attach and replicate. */
function keysOf(draft: Draft): SpecKey[] {
  const sizes = draft.loaded.root.children.filter(({ name }) => name === 'size')
  const last = sizes.findLast(({ attributes }) => attributes.has('nkey'))
  const count = draft.adopted.get('size nkey') ?? last?.attributes.get('nkey')
  const padding = Math.max(0, (numbersIn(count)[0] || 0) - draft.keys.length)
  if (padding > 0) reserve(draft, padding, last ?? draft.loaded.root)
  const unnamed = Array.from({ length: padding }, () => ({ name: '', element: null, lengths: {} }))
  return [...draft.keys, ...unnamed, ...draft.carried.map(({ name, element }) => ({ name, element, lengths: {} }))]
}
