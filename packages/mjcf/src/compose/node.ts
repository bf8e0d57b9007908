/**
 * The objects of a model while it is built: attach and replicate copy them as a unit, so each implements its own copy.
 */
import type { LoadedModel } from '../load/loaded-model.ts'
import type { JointType } from '../reading.ts'
import type { XmlElement } from '../xml/element.ts'
import type { SpecBody, SpecCategory, SpecJoint, SpecObject, SpecPart } from './types.ts'

/** Prefix and suffix added by attach and replicate. */
export interface Rename {
  readonly prefix: string
  readonly suffix: string
}

export const NO_RENAME: Rename = { prefix: '', suffix: '' }

/** A name with prefix and suffix. */
export function renamed(name: string, { prefix, suffix }: Rename): string {
  return prefix + name + suffix
}

/** An attribute that refers to an object, and the category of that object. */
export interface Target {
  readonly attribute: string
  readonly category: SpecCategory
  /**
   * A body named as `xbody` or by its subtree: `fusestatic` removes it despite the reference, which is then invalid.
   */
  readonly isFusible?: true
}

const NO_REFS: ReadonlyMap<string, string> = new Map()
const NO_PARTS: readonly SpecPart[] = []
const NO_LAYERS: readonly XmlElement[] = []
const NO_TARGETS: readonly Target[] = []

export interface NodeInit {
  readonly name?: string
  readonly element: XmlElement
  readonly model: LoadedModel
  /** Attributes of an object created by a composite or flexcomp; the attributes of its element mean something else. */
  readonly own?: ReadonlyMap<string, string>
  readonly made?: boolean
  readonly layers?: readonly XmlElement[]
  readonly targets?: readonly Target[]
  readonly refs?: ReadonlyMap<string, string>
  readonly parts?: readonly SpecPart[]
}

/** Any object; of the tree or of a list. */
export class SpecNode implements SpecObject {
  readonly category: SpecCategory
  name: string
  readonly element: XmlElement
  readonly made: boolean
  readonly model: LoadedModel
  readonly own: ReadonlyMap<string, string>
  readonly layers: readonly XmlElement[]
  /** Targets that must exist for a copy to be kept. */
  readonly targets: readonly Target[]
  refs: ReadonlyMap<string, string>
  parts: readonly SpecPart[]
  body: BodyNode | null = null
  frame: SpecNode | null = null

  constructor(category: SpecCategory, init: NodeInit) {
    this.category = category
    this.name = init.name ?? ''
    this.element = init.element
    this.made = init.made ?? init.own !== undefined
    this.model = init.model
    this.own = init.own ?? init.element.attributes
    this.layers = init.layers ?? NO_LAYERS
    this.targets = init.targets ?? NO_TARGETS
    this.refs = init.refs ?? NO_REFS
    this.parts = init.parts ?? NO_PARTS
  }

  attr(name: string): string | undefined {
    return this.own.get(name) ?? this.layers.findLast((layer) => layer.attributes.has(name))?.attributes.get(name)
  }

  ref(name: string): string {
    return this.refs.get(name) ?? ''
  }
}

/** A joint; its type is known once its classes are known. */
export class JointNode extends SpecNode implements SpecJoint {
  declare readonly category: 'joint'
  readonly type: JointType

  constructor(init: NodeInit, type: JointType) {
    super('joint', init)
    this.type = type
  }
}

/** A body with its content, each kind in the order of the compiled model. */
export class BodyNode extends SpecNode implements SpecBody {
  declare readonly category: 'body'
  readonly mocap: boolean
  /** Default class for content that names no class. */
  readonly className: string
  inertial: XmlElement | null = null
  readonly bodies: BodyNode[] = []
  readonly joints: JointNode[] = []
  readonly geoms: SpecNode[] = []
  readonly sites: SpecNode[] = []
  readonly cameras: SpecNode[] = []
  readonly lights: SpecNode[] = []
  readonly frames: SpecNode[] = []

  constructor(init: NodeInit, className: string) {
    super('body', init)
    this.className = className
    this.mocap = !this.made && init.element.attributes.get('mocap') === 'true'
  }
}

/** The lists of a body, in the order in which MuJoCo copies them. */
export const TREE_LISTS = ['frames', 'geoms', 'joints', 'sites', 'cameras', 'lights'] as const

/**
 * A body and all its descendants, depth-first in document order. Not recursive, because a cable is a long chain of
 * bodies. Lazy, so that a caller that stops early does not pay for the rest: the world may have a hundred thousand
 * children.
 */
export function* bodiesBelow(top: BodyNode): Generator<BodyNode> {
  yield top
  const open = [{ body: top, next: 0 }]
  for (let at = open.at(-1); at !== undefined; at = open.at(-1)) {
    const child = at.body.bodies[at.next]
    at.next += 1
    if (child === undefined) {
      open.pop()
    } else {
      yield child
      open.push({ body: child, next: 0 })
    }
  }
}

/** Whether a frame equals another one or lies inside it. */
export function isWithin(frame: SpecNode | null, outer: SpecNode): boolean {
  for (let at = frame; at !== null; at = at.frame) if (at === outer) return true
  return false
}

/**
 * A copy of an object of the tree under new names; references to assets keep theirs within one model, since its assets
 * are not copied.
 */
export function copyNode<T extends SpecNode>(source: T, rename: Rename, across: boolean): T {
  const copy = freshCopy(source) as T
  if (source.name !== '') copy.name = renamed(source.name, rename)
  if (source.refs.size > 0) {
    const bound = (attribute: string) =>
      across || !(source.category === 'geom' || source.category === 'site') || attribute === 'target'
    copy.refs = new Map(
      [...source.refs].map(([attribute, name]) => [attribute, bound(attribute) ? renamed(name, rename) : name]),
    )
  }
  return copy
}

/** Created by the constructor, which is much faster than copying members one by one. Bodies are created empty. */
function freshCopy(source: SpecNode): SpecNode {
  if (source instanceof JointNode) return new JointNode(source, source.type)
  if (!(source instanceof BodyNode)) return new SpecNode(source.category, source)
  const body = new BodyNode(source, source.className)
  body.inertial = source.inertial
  return body
}
