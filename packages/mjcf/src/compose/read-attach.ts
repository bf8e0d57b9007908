/**
 * `<attach>`: a body, a frame or the whole world of another model, or a body or frame of this model that was already
 * read.
 */
import type { XmlElement } from '../xml/element.ts'
import { attachBody, attachFrame } from './attach.ts'
import { settleConflicts } from './conflicts.ts'
import { admit, type Draft, isNamed, lookUp } from './draft.ts'
import { BodyNode, bodiesBelow, SpecNode, TREE_LISTS } from './node.ts'
import type { Place } from './place.ts'

/** Copies the named body, frame or world; a missing one is a fault. */
export function readAttach(place: Place, element: XmlElement): void {
  const { attributes } = element
  const modelName = attributes.get('model')
  const from = modelName === undefined ? place.draft : place.draft.assets.get(modelName)
  if (from === undefined) {
    reportNoModel(place, element, modelName ?? '')
    return
  }
  const wanted = attributes.has('frame') ? 'frame' : attributes.has('body') ? 'body' : null
  if (wanted !== null) {
    attachPart(place, element, from, wanted)
  } else if (from === place.draft) {
    place.draft.building.faults.add('compile', element, '<attach> without a model needs the name of a body or frame.')
  } else {
    attachWorld(place, element, from)
  }
}

const renameOf = ({ attributes }: XmlElement) => ({ prefix: attributes.get('prefix') ?? '', suffix: '' })

function attachPart(place: Place, element: XmlElement, from: Draft, wanted: 'body' | 'frame'): void {
  const { draft } = place
  const { faults } = draft.building
  const name = element.attributes.get(wanted) ?? ''
  const rename = renameOf(element)
  const taken = rename.prefix + name
  if ((from === draft || name !== '') && isNamed(draft, wanted, taken)) {
    const hint = 'Attach it under another prefix.'
    faults.add('name', element, `A ${wanted} called "${taken}" is there already.`, { names: [taken], hint })
    return
  }
  const source = find(from, wanted, name, element)
  if (source === undefined) {
    const where = from === draft ? 'before this element' : `in the model "${element.attributes.get('model')}"`
    faults.add('reference', element, `There is no ${wanted} "${name}" ${where}.`, { names: [name] })
    return
  }
  settleConflicts(draft, from, element)
  const copying = { from, into: draft, rename, at: element }
  const frame = place.frame ?? newFrame(draft, place.body, element)
  if (source instanceof BodyNode) attachBody(copying, source, frame)
  else attachFrame(copying, source, place.body, frame)
}

/** The complete content of another model's world, placed in one frame. */
function attachWorld({ draft, body, frame }: Place, element: XmlElement, from: Draft): void {
  const { world } = from
  settleConflicts(draft, from, element)
  const around = newFrame(from, world, element)
  for (const name of [...TREE_LISTS, 'bodies'] as const) {
    for (const node of world[name]) if (node !== around && node.frame === null) node.frame = around
  }
  const outer = frame ?? newFrame(draft, body, element)
  attachFrame({ from, into: draft, rename: renameOf(element), at: element }, around, body, outer)
}

/** A frame for objects attached outside any frame. */
function newFrame(draft: Draft, body: BodyNode, element: XmlElement): SpecNode {
  const frame = new SpecNode('frame', { element, model: draft.loaded, own: new Map() })
  frame.body = body
  admit(draft, frame)
  body.frames.push(frame)
  return frame
}

/** The first body or frame of that name, depth-first. */
function find(draft: Draft, wanted: 'body' | 'frame', name: string, at: XmlElement): SpecNode | undefined {
  for (const body of bodiesBelow(draft.world)) {
    lookUp(draft, wanted === 'frame' ? 1 + body.frames.length : 1, at)
    if (wanted === 'body' && body.name === name) return body
    const frame = wanted === 'frame' ? body.frames.find((one) => one.name === name) : undefined
    if (frame !== undefined) return frame
  }
  return undefined
}

/** Reports nothing if a model asset could not be read: its name is then unknown, and the fault is already reported. */
function reportNoModel({ draft }: Place, element: XmlElement, name: string): void {
  const { loaded, assets, building } = draft
  const elements = loaded.root.children.flatMap((section) => (section.name === 'asset' ? section.children : []))
  if (elements.some((asset) => asset.name === 'model' && !loaded.models.has(asset))) return
  const known = [...assets.keys()].join(', ')
  const hint = known === '' ? 'Declare it with <model> in <asset>.' : `The models are: ${known}.`
  building.faults.add('reference', element, `There is no model "${name}" to attach.`, { names: [name], hint })
}
