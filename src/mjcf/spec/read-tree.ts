/** The tree of bodies of one model, with all that multiplies or brings in parts of it. */
import { limits } from '../limits.ts'
import type { JointType } from '../reading.ts'
import type { XmlElement } from '../xml/element.ts'
import { attachBody, attachFrame, removeTemplate, sizeOfFrame } from './attach.ts'
import { readComposite } from './composite.ts'
import type { Slot } from './defaults.ts'
import { admit, type Draft, isNamed } from './draft.ts'
import { readFlexcomp } from './flexcomp.ts'
import { BodyNode, bodiesBelow, JointNode, NO_RENAME, type NodeInit, renamed, SpecNode, TREE_LISTS } from './node.ts'
import { classOf, refsOf } from './read-objects.ts'

/** Where an element stands: its body, the frame within it, and the class that holds there. */
export interface Place {
  readonly draft: Draft
  readonly body: BodyNode
  readonly frame: SpecNode | null
  readonly className: string
}

/** Reads what a body, frame, replicate or worldbody holds. */
export function readContent(place: Place, section: XmlElement): void {
  for (const element of section.children) {
    const read = READERS[element.name]
    if (read !== undefined) read(place, element)
  }
}

const READERS: Readonly<Record<string, (place: Place, element: XmlElement) => void>> = {
  inertial: (place, element) => {
    if (place.body === place.draft.world) worldHolds(place, element)
    place.body.inertial = element
  },
  joint: readJoint,
  freejoint: readJoint,
  geom: (place, element) =>
    place.body.geoms.push(added(place, new SpecNode('geom', inherited(place, element, 'geom')))),
  site: (place, element) =>
    place.body.sites.push(added(place, new SpecNode('site', inherited(place, element, 'site')))),
  camera: (place, element) =>
    place.body.cameras.push(added(place, new SpecNode('camera', inherited(place, element, 'camera')))),
  light: (place, element) =>
    place.body.lights.push(added(place, new SpecNode('light', inherited(place, element, 'light')))),
  body: readBody,
  frame: readFrame,
  replicate: readReplicate,
  attach: readAttach,
  composite: readComposite,
  flexcomp: readFlexcomp,
}

function worldHolds({ draft }: Place, element: XmlElement): void {
  draft.building.faults.add(
    'compile',
    element,
    `The world has no ${element.name === 'inertial' ? 'inertia' : 'joints'}.`,
    {
      hint: 'Put it into a <body>.',
    },
  )
}

/** Attributes of an element with those of the class that it names or that holds where it stands. */
function inherited({ draft, className }: Place, element: XmlElement, slot: Slot): NodeInit {
  const defaults = classOf(draft, element) ?? draft.classes.last.get(className)
  return {
    name: element.attributes.get('name') ?? '',
    element,
    model: draft.loaded,
    layers: defaults?.layers.get(slot),
  }
}

function added<T extends SpecNode>({ draft, body, frame }: Place, node: T): T {
  node.body = body
  node.frame = frame
  node.refs = refsOf(node)
  admit(draft, node)
  return node
}

function readJoint(place: Place, element: XmlElement): void {
  if (place.body === place.draft.world) return worldHolds(place, element)
  const init: NodeInit = { name: element.attributes.get('name') ?? '', element, model: place.draft.loaded }
  const free = element.name === 'freejoint'
  const node = free ? new JointNode(init, 'free') : jointOf(inherited(place, element, 'joint'))
  place.body.joints.push(added(place, node))
}

function jointOf(init: NodeInit): JointNode {
  const type = new SpecNode('joint', init).attr('type')
  return new JointNode(init, type === 'free' || type === 'ball' || type === 'slide' ? (type as JointType) : 'hinge')
}

function readBody(place: Place, element: XmlElement): void {
  const { draft } = place
  const className = childClass(place, element)
  const init = { name: element.attributes.get('name') ?? '', element, model: draft.loaded }
  const child = added(place, new BodyNode(init, className))
  place.body.bodies.push(child)
  readContent({ draft, body: child, frame: null, className }, element)
}

/** The class that holds inside; one named by `childclass` is the first of its name, while what stands inside gets the last of that name. */
function childClass({ draft, className }: Place, element: XmlElement): string {
  return classOf(draft, element, 'childclass')?.name ?? className
}

function readFrame(place: Place, element: XmlElement): void {
  const { draft, body } = place
  const className = childClass(place, element)
  const init = { name: element.attributes.get('name') ?? '', element, model: draft.loaded }
  const frame = added(place, new SpecNode('frame', init))
  body.frames.push(frame)
  readContent({ draft, body, frame, className }, element)
}

/** Its content is read once, as a body of its own that is copied and then taken away again. */
function readReplicate(place: Place, element: XmlElement): void {
  const { draft, body } = place
  const className = childClass(place, element)
  const init: NodeInit = { element, model: draft.loaded, own: new Map() }
  const template = new BodyNode(init, className)
  template.body = body
  admit(draft, template)
  body.bodies.push(template)
  const frame = added({ ...place, body: template }, new SpecNode('frame', init))
  template.frames.push(frame)
  readContent({ draft, body: template, frame, className }, element)
  copyTemplate(place, element, frame)
  removeTemplate(draft, template, element)
}

function copyTemplate({ draft, body, frame: outer }: Place, element: XmlElement, frame: SpecNode): void {
  const { building } = draft
  const count = Number.parseInt(element.attributes.get('count') ?? '', 10) || 0
  if (count <= 0) return
  if (building.spent.objects + count * sizeOfFrame(frame) > limits.objects) {
    building.faults.refuse(
      'limit',
      element,
      `${count} copies make the model expand to more than ${limits.objects} objects.`,
      {
        hint: 'Nested replicates multiply each other.',
      },
    )
  }
  const digits = String(count).length
  const separator = element.attributes.get('sep') ?? ''
  for (let i = 0; i < count; i += 1) {
    const rename = { prefix: '', suffix: separator + String(i).padStart(digits, '0') }
    attachFrame({ from: draft, into: draft, rename, at: element }, frame, body, outer)
  }
}

function readAttach(place: Place, element: XmlElement): void {
  const { draft } = place
  const { faults } = draft.building
  const { attributes } = element
  const wanted = attributes.has('frame') ? 'frame' : attributes.has('body') ? 'body' : null
  // Of both attributes the body's kind and the frame's name would count; the grammar refuses them together.
  const name = attributes.get('frame') ?? attributes.get('body') ?? ''
  const modelName = attributes.get('model')
  const prefix = attributes.get('prefix') ?? ''
  const rename = { prefix, suffix: '' }
  const from = modelName === undefined ? draft : draft.assets.get(modelName)
  if (from === undefined) {
    if (!hasUnreadModel(draft)) {
      const names = [modelName ?? '']
      faults.add('reference', element, `There is no model "${modelName}" to attach.`, {
        names,
        hint: `Models are named by the name of <model>, else by what their file calls itself: ${[...draft.assets.keys()].join(', ') || 'there is none'}.`,
      })
    }
    return
  }
  if (wanted === null) {
    if (modelName !== undefined) return attachWorld(place, from, element, prefix)
    faults.add('compile', element, '<attach> without a model needs the name of a body or frame.')
    return
  }
  if ((modelName === undefined || name !== '') && isNamed(draft, wanted, renamed(name, rename))) {
    faults.add('name', element, `A ${wanted} called "${renamed(name, rename)}" is there already.`, {
      names: [renamed(name, rename)],
      hint: 'Attach it under another prefix.',
    })
    return
  }
  const source = find(from, wanted, name)
  if (source === undefined) {
    const where = modelName === undefined ? 'defined before this element' : `in the model "${modelName}"`
    faults.add('reference', element, `There is no ${wanted} "${name}" ${where}.`, { names: [name] })
    return
  }
  const copying = { from, into: draft, rename, at: element }
  const frame = place.frame ?? newFrame(place, element)
  if (source instanceof BodyNode) attachBody(copying, source, frame)
  else attachFrame(copying, source, place.body, frame)
}

/** A model asset whose file is missing has been reported as such. */
function hasUnreadModel({ loaded, building }: Draft): boolean {
  if (loaded.report.missing.some(({ kind }) => kind === 'model')) return true
  return building.undecided.some(({ about }) => about === 'joints')
}

function newFrame({ draft, body }: Place, element: XmlElement): SpecNode {
  const frame = new SpecNode('frame', { element, model: draft.loaded, own: new Map() })
  frame.body = body
  admit(draft, frame)
  body.frames.push(frame)
  return frame
}

/** The whole content of the world of another model: everything there comes to stand in one frame. */
function attachWorld(place: Place, from: Draft, element: XmlElement, prefix: string): void {
  const { world } = from
  const around = newFrame({ draft: from, body: world, frame: null, className: 'main' }, element)
  for (const name of [...TREE_LISTS, 'bodies'] as const) {
    for (const node of world[name]) if (node !== around && node.frame === null) node.frame = around
  }
  const frame = place.frame ?? newFrame(place, element)
  const rename = { ...NO_RENAME, prefix }
  attachFrame({ from, into: place.draft, rename, at: element }, around, place.body, frame)
}

/** The first body or frame of that name, depth-first. */
function find({ world }: Draft, wanted: 'body' | 'frame', name: string): SpecNode | undefined {
  for (const body of bodiesBelow(world)) {
    if (wanted === 'body' && body.name === name) return body
    const frame = wanted === 'frame' ? body.frames.find((one) => one.name === name) : undefined
    if (frame !== undefined) return frame
  }
  return undefined
}
