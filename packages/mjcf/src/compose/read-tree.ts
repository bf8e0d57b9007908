/** The tree of bodies of one model, including everything that copies or attaches parts of it. */
import { limits } from '../limits.ts'
import type { JointType } from '../reading.ts'
import type { XmlElement } from '../xml/element.ts'
import { attachFrame, removeTemplate, sizeOfFrame } from './attach.ts'
import { readComposite } from './composite.ts'
import type { DefaultClass, Slot } from './defaults.ts'
import { admit } from './draft.ts'
import { readFlexcomp } from './flexcomp.ts'
import { BodyNode, JointNode, type NodeInit, SpecNode } from './node.ts'
import type { Place } from './place.ts'
import { readAttach } from './read-attach.ts'
import { classOf, refsOf } from './read-objects.ts'

/** Reads the content of a body, frame, replicate or worldbody. */
export function readContent(place: Place, section: XmlElement): void {
  for (const element of section.children) {
    // Whatever the element is: where MuJoCo checks no attributes, in a frame or a replicate, any may name a class.
    const own = classOf(place.draft, element)
    READERS.get(element.name)?.(place, element, own)
  }
}

/** `own`: the class that the element names. */
type Reader = (place: Place, element: XmlElement, own: DefaultClass | undefined) => void

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['inertial', readInertial],
  ['joint', readJoint],
  ['freejoint', readJoint],
  ['geom', (place, element, own) => addThing(place, element, own, 'geom')],
  ['site', (place, element, own) => addThing(place, element, own, 'site')],
  ['camera', (place, element, own) => addThing(place, element, own, 'camera')],
  ['light', (place, element, own) => addThing(place, element, own, 'light')],
  ['body', readBody],
  ['frame', readFrame],
  ['replicate', readReplicate],
  ['attach', readAttach],
  ['composite', readComposite],
  ['flexcomp', readFlexcomp],
])

function addThing(
  place: Place,
  element: XmlElement,
  own: DefaultClass | undefined,
  slot: 'geom' | 'site' | 'camera' | 'light',
): void {
  place.body[`${slot}s`].push(added(place, new SpecNode(slot, inherited(place, element, own, slot))))
}

function readInertial(place: Place, element: XmlElement): void {
  if (place.body === place.draft.world) worldHolds(place, element)
  else place.body.inertial = element
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

/** The attributes of an element, after those of the class that it names or that applies at its place. */
function inherited(
  { draft, className }: Place,
  element: XmlElement,
  own: DefaultClass | undefined,
  slot: Slot,
): NodeInit {
  const defaults = own ?? draft.classes.last.get(className)
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

function readJoint(place: Place, element: XmlElement, own: DefaultClass | undefined): void {
  // The world of a URDF may be the child of a joint as long as it is attached to a body.
  if (place.body === place.draft.world && place.draft.loaded.format === 'mjcf') {
    worldHolds(place, element)
    return
  }
  const init: NodeInit = { name: element.attributes.get('name') ?? '', element, model: place.draft.loaded }
  const free = element.name === 'freejoint'
  const node = free ? new JointNode(init, 'free') : jointOf(inherited(place, element, own, 'joint'))
  place.body.joints.push(added(place, node))
}

function jointOf(init: NodeInit): JointNode {
  const type = new SpecNode('joint', init).attr('type')
  return new JointNode(init, type === 'free' || type === 'ball' || type === 'slide' ? (type as JointType) : 'hinge')
}

function readBody(place: Place, element: XmlElement, own: DefaultClass | undefined): void {
  const { draft } = place
  const className = childClass(place, element, own)
  const init = { name: element.attributes.get('name') ?? '', element, model: draft.loaded }
  const child = added(place, new BodyNode(init, className))
  place.body.bodies.push(child)
  readContent({ draft, body: child, frame: null, className }, element)
}

/**
 * The class that applies inside: that of `childclass`, else of `class`, which MuJoCo accepts on a frame and on what is
 * in one. Either selects the first class of its name, while the content gets the last class of that name.
 */
function childClass({ draft, className }: Place, element: XmlElement, own: DefaultClass | undefined): string {
  return classOf(draft, element, 'childclass')?.name ?? own?.name ?? className
}

function readFrame(place: Place, element: XmlElement, own: DefaultClass | undefined): void {
  const { draft, body } = place
  const className = childClass(place, element, own)
  const init = { name: element.attributes.get('name') ?? '', element, model: draft.loaded }
  const frame = added(place, new SpecNode('frame', init))
  body.frames.push(frame)
  readContent({ draft, body, frame, className }, element)
}

/** The content is read once, as a temporary body that is copied and then removed. */
function readReplicate(place: Place, element: XmlElement, own: DefaultClass | undefined): void {
  const { draft, body } = place
  const className = childClass(place, element, own)
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
