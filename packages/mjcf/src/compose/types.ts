/**
 * A model as MuJoCo represents it between parsing and compiling: all objects after default classes, frames, replicate,
 * attach, composite and flexcomp were applied, in the order and under the names of the compiled model.
 */
import type { Compiler } from '../compiler.ts'
import type { LoadedModel } from '../load/loaded-model.ts'
import type { JointType, Undecided } from '../reading.ts'
import type { XmlElement } from '../xml/element.ts'

/** Each category is a namespace of its own. */
export type SpecCategory =
  | 'body'
  | 'frame'
  | 'joint'
  | 'geom'
  | 'site'
  | 'camera'
  | 'light'
  | 'flex'
  | 'mesh'
  | 'skin'
  | 'hfield'
  | 'texture'
  | 'material'
  | 'pair'
  | 'exclude'
  | 'equality'
  | 'tendon'
  | 'actuator'
  | 'sensor'
  | 'numeric'
  | 'text'
  | 'tuple'
  | 'key'
  | 'plugin'

/** One entry of a tendon's path or of a tuple: a child element and the object that it refers to. */
export interface SpecPart {
  readonly element: XmlElement
  /** The joint, site, geom or object named; '' for a pulley. */
  readonly name: string
  /** The side site of a wrapped geom, else ''. */
  readonly side: string
}

export interface SpecObject {
  readonly category: SpecCategory
  /**
   * With the prefixes and suffixes of attach and replicate; '' where unnamed. Meshes, hfields, textures and skins
   * without a name have the one that MuJoCo assigns: their file's.
   */
  readonly name: string
  /**
   * Where it was written. For objects created by a composite or flexcomp: the composite or flexcomp element, with
   * `made` true.
   */
  readonly element: XmlElement
  readonly made: boolean
  /** The model whose compiler settings and files apply to it: an attached child keeps its own. */
  readonly model: LoadedModel
  /**
   * The elements of default classes that were applied before its own attributes, the farthest first (for actuators of
   * any actuator element: they share one default).
   */
  readonly layers: readonly XmlElement[]
  /**
   * Its own attribute, else the one of its default class at the time the object was read; undefined if neither has it.
   * Never for names and classes.
   */
  attr(name: string): string | undefined
  /**
   * The name in a referring attribute (`joint`, `body1`, `mesh`, `objname` …) after the renames that attach and
   * replicate imply; '' where there is none.
   */
  ref(name: string): string
  readonly parts: readonly SpecPart[]
  /** Its container; the parent for a body; null for objects outside the tree, and for the world. */
  readonly body: SpecBody | null
  /** The nearest frame around it within its body. */
  readonly frame: SpecObject | null
}

export interface SpecJoint extends SpecObject {
  readonly category: 'joint'
  readonly type: JointType
}

export interface SpecBody extends SpecObject {
  readonly category: 'body'
  readonly mocap: boolean
  /** The `<inertial>` element that applies: the last one written. */
  readonly inertial: XmlElement | null
  readonly bodies: readonly SpecBody[]
  readonly joints: readonly SpecJoint[]
  readonly geoms: readonly SpecObject[]
  readonly sites: readonly SpecObject[]
  readonly cameras: readonly SpecObject[]
  readonly lights: readonly SpecObject[]
  readonly frames: readonly SpecObject[]
}

export type KeyField = 'qpos' | 'qvel' | 'act' | 'ctrl' | 'mpos' | 'mquat'

export interface SpecKey {
  /** '' where unnamed. */
  readonly name: string
  /** Null for one that only `<size nkey>` requires. */
  readonly element: XmlElement | null
  /**
   * Numbers in each field as the compiled model sees them (mpos 3 and mquat 4 for each mocap body), absent where not
   * given. Short ones have been filled up; keys that attach and replicate carried over always fit and have none here.
   */
  readonly lengths: Readonly<Partial<Record<KeyField, number>>>
}

export interface Spec {
  readonly loaded: LoadedModel
  /** Null where the document names none. */
  readonly model: string | null
  /** For the whole model; objects of an attached child have their own (`compilers`). */
  readonly compiler: Compiler
  readonly compilers: ReadonlyMap<LoadedModel, Compiler>
  /** Models that are attached at least once, at any depth: their assets count. */
  readonly attached: ReadonlySet<LoadedModel>
  /**
   * Settings of the whole model that come from attached models, by section and name (`size nkey`): they take precedence
   * over written ones.
   */
  readonly adopted: ReadonlyMap<string, string>
  readonly world: SpecBody
  /** World first, then depth-first in document order. */
  readonly bodies: readonly SpecBody[]
  readonly joints: readonly SpecJoint[]
  /** All objects of a category in the order of their ids, unnamed ones included (bodies with the world). */
  of(category: Exclude<SpecCategory, 'body' | 'joint' | 'key'>): readonly SpecObject[]
  /** The object of that category with this name. */
  find(category: SpecCategory, name: string): SpecObject | undefined
  readonly keys: readonly SpecKey[]
  /** What could not be built without running MuJoCo (plugins that create objects, a flexcomp of a file). */
  readonly undecided: readonly Undecided[]
}
