/**
 * Copies of bodies and frames, from the same model (replicate, self-attach) or another one (attach), with what refers
 * to them.
 */
import type { XmlElement } from '../xml/element.ts'
import { attachClasses } from './defaults.ts'
import { admit, type Draft, enter, type ListCategory, leave, leaveList, listOf, lookUp, reserve } from './draft.ts'
import { carryKeys, fillKeys } from './keys.ts'
import {
  type BodyNode,
  bodiesBelow,
  copyNode,
  isWithin,
  NO_RENAME,
  type Rename,
  renamed,
  SpecNode,
  TREE_LISTS,
} from './node.ts'
import { resolve } from './resolve.ts'

/** The source of copies and the names that they get. */
export interface Copying {
  readonly from: Draft
  readonly into: Draft
  readonly rename: Rename
  /** The `<attach>` or `<replicate>`. */
  readonly at: XmlElement
}

/** Copies a body and all its descendants into the body of a frame. */
export function attachBody(copying: Copying, source: BodyNode, frame: SpecNode): void {
  const parent = frame.body as BodyNode
  carryKeys(copying.from, copying.into, copying.rename)
  const copy = copyBody(copying, source)
  copy.body = parent
  copy.frame = frame
  attachDefaults(copying)
  parent.bodies.push(copy)
  copyOthers(copying)
}

/** Copies a frame with its content into a body; `outer` is the frame that contains the copy. */
export function attachFrame(copying: Copying, source: SpecNode, parent: BodyNode, outer: SpecNode | null): void {
  const { into, rename, at } = copying
  const from = source.body as BodyNode
  carryKeys(copying.from, into, rename)
  attachDefaults(copying)
  const copies = new Map<SpecNode, SpecNode>()
  lookUp(
    into,
    [...TREE_LISTS, 'bodies' as const].reduce((sum, name) => sum + from[name].length, 0),
    at,
  )
  const inside = <T extends SpecNode>(list: readonly T[]) => list.filter((node) => isWithin(node.frame, source))
  const frames = [source, ...inside(from.frames)]
  reserve(into, frames.length, at)
  for (const frame of frames) copies.set(frame, place(copying, frame, parent))
  for (const [frame, copy] of copies) {
    copy.frame = frame === source ? outer : (copies.get(frame.frame as SpecNode) ?? null)
    parent.frames.push(copy)
  }
  for (const name of TREE_LISTS) {
    if (name === 'frames') continue
    const nodes = inside<SpecNode>(from[name])
    reserve(into, nodes.length, at)
    for (const node of nodes) {
      const copy = place(copying, node, parent)
      copy.frame = copies.get(node.frame as SpecNode) ?? null
      ;(parent[name] as SpecNode[]).push(copy)
    }
  }
  for (const body of inside(from.bodies)) {
    const copy = copyBody(copying, body)
    copy.body = parent
    copy.frame = copies.get(body.frame as SpecNode) ?? null
    parent.bodies.push(copy)
  }
  copyOthers(copying)
}

/** Number of objects in a frame, including the frame. */
export function sizeOfFrame(frame: SpecNode): number {
  const from = frame.body as BodyNode
  const lists = TREE_LISTS.map((name) => from[name].filter((node) => isWithin(node.frame, frame)).length)
  const bodies = from.bodies.filter((body) => isWithin(body.frame, frame)).map(sizeOfBody)
  return [...lists, ...bodies].reduce((sum, size) => sum + size, 1)
}

function sizeOfBody(top: BodyNode): number {
  let size = 0
  for (const body of bodiesBelow(top)) size += TREE_LISTS.reduce((sum, name) => sum + body[name].length, 1)
  return size
}

/**
 * Removes the template of a replicate and everything that refers to it. The model's own keys have been carried over, so
 * they no longer count as its own.
 */
export function removeTemplate(draft: Draft, template: BodyNode, at: XmlElement): void {
  carryKeys(draft, draft, NO_RENAME)
  draft.keys = []
  const lists = REMOVABLE.map((category) => listOf(draft, category))
  for (const list of lists) lookUp(draft, 2 * looksAt(list), at)
  const sound = new Set(lists.flat().filter((node) => resolve(draft, node, NO_RENAME, false) !== null))
  const parent = template.body as BodyNode
  parent.bodies.splice(parent.bodies.indexOf(template), 1)
  leave(draft, template)
  for (const list of lists) {
    const kept = list.filter((node) => !sound.has(node) || resolve(draft, node, NO_RENAME, false) !== null)
    if (kept.length === list.length) continue
    const still = new Set(kept)
    for (const node of list) if (!still.has(node)) leaveList(draft, node)
    list.length = 0
    for (const node of kept) list.push(node)
  }
}

const REMOVABLE: readonly ListCategory[] = ['pair', 'exclude', 'tendon', 'equality', 'actuator', 'sensor']
const ASSETS: readonly ListCategory[] = ['mesh', 'skin', 'hfield', 'texture', 'material', 'numeric', 'text']
const REFERRING: readonly ListCategory[] = [
  'flex',
  'pair',
  'exclude',
  'tendon',
  'equality',
  'actuator',
  'sensor',
  'tuple',
]

/** Copies one object and registers its new name. */
function place<T extends SpecNode>({ from, into, rename }: Copying, source: T, parent: BodyNode | null): T {
  const copy = copyNode(source, rename, from !== into)
  copy.body = parent
  enter(into, copy)
  return copy
}

function copyBody(copying: Copying, top: BodyNode): BodyNode {
  reserve(copying.into, sizeOfBody(top), copying.at)
  const bodies = new Map<BodyNode, BodyNode>()
  const frames = new Map<SpecNode, SpecNode>()
  const frameOf = ({ frame }: SpecNode) => (frame === null ? null : (frames.get(frame) ?? null))
  for (const source of bodiesBelow(top)) {
    const parent = source === top ? null : (bodies.get(source.body as BodyNode) ?? null)
    const copy = place(copying, source, parent)
    bodies.set(source, copy)
    if (parent !== null) {
      copy.frame = frameOf(source)
      parent.bodies.push(copy)
    }
    for (const frame of source.frames) frames.set(frame, place(copying, frame, copy))
    for (const name of TREE_LISTS) {
      for (const node of source[name] as readonly SpecNode[]) {
        const made = name === 'frames' ? (frames.get(node) as SpecNode) : place(copying, node, copy)
        made.frame = frameOf(node)
        ;(copy[name] as SpecNode[]).push(made)
      }
    }
  }
  return bodies.get(top) as BodyNode
}

function attachDefaults({ from, into, rename, at }: Copying): void {
  if (from === into) return
  // Classes count as objects: each attach copies all of them.
  reserve(into, from.classes.first.size, at)
  attachClasses(into.classes, from.classes, rename)
  into.attached.add(from.loaded)
  for (const model of from.attached) into.attached.add(model)
}

/**
 * Copies the objects that refer to copied ones, if their references then resolve; from another model all assets too,
 * used or not.
 */
function copyOthers(copying: Copying): void {
  const { from, into, rename, at } = copying
  const across = from !== into
  for (const category of across ? [...ASSETS, ...REFERRING] : REFERRING) {
    const into_ = listOf(into, category)
    const sources = [...listOf(from, category)]
    lookUp(into, looksAt(sources), at)
    for (const source of sources) {
      const resolved = resolve(into, source, rename, across)
      if (resolved === null) continue
      const copy = new SpecNode(category, source)
      Object.assign(copy, resolved)
      copy.name = copiedName(source, rename)
      admit(into, copy)
      into_.push(copy)
    }
  }
  if (across) {
    into.carried = into.carried.concat(from.carried)
    from.carried = []
  }
  lookUp(into, into.keys.length, at)
  fillKeys(into)
}

/** Counts each object and each name in it: a tendon may have as many path elements as fit into a file. */
function looksAt(nodes: readonly SpecNode[]): number {
  return nodes.reduce((sum, { parts }) => sum + 1 + parts.length, 0)
}

/** Skins keep their names, unlike everything else. */
function copiedName(source: SpecNode, rename: Rename): string {
  const name = source.name === '' ? fileName(source) : source.name
  return name === '' || source.category === 'skin' ? name : renamed(name, rename)
}

/** The name that MuJoCo gives to an unnamed asset: its file's without folder and extension. */
export function fileName({ category, own }: SpecNode): string {
  if (category !== 'mesh' && category !== 'hfield' && category !== 'texture' && category !== 'skin') return ''
  const file = own.get('file') ?? ''
  const base = file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1)
  return base.includes('.') ? base.slice(0, base.lastIndexOf('.')) : base
}
