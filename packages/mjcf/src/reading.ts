/** The reader's findings about a model: plain data, so that it can be sent between processes and cached. */
import type { ModelFault } from './fault.ts'

export type JointType = 'hinge' | 'slide' | 'ball' | 'free'

export interface ModelJoint {
  /** Null for an unnamed joint. */
  readonly name: string | null
  readonly type: JointType
  /** Index in `roots` of the child of the world to which the joint belongs. */
  readonly root: number
}

/** A body that is a child of world, in document order. */
export interface RootBody {
  readonly name: string | null
  /** Whether it has a free joint. */
  readonly floating: boolean
}

/** A file that the model needs and that is not in the repo. */
export interface MissingFile {
  /** MuJoCo's first search path: repo-relative if in the repo, else as written. */
  readonly path: string
  /** Further search paths. */
  readonly alternatives: readonly string[]
  /** Kind of the reference: `mesh`, `texture`, `include`, `model` … */
  readonly kind: string
  readonly file: string
  readonly line: number
}

/** What cannot be decided without running MuJoCo, and why. */
export interface Undecided {
  /** `model`: whether MuJoCo accepts it at all. */
  readonly about: 'model' | 'joints' | 'keyframes' | 'base' | 'sizes' | 'assets'
  readonly reason: string
}

/** Names that an interface may refer to, in document order, unnamed ones left out. */
export interface ModelNames {
  readonly bodies: readonly string[]
  readonly sites: readonly string[]
  readonly cameras: readonly string[]
  readonly actuators: readonly string[]
}

export interface ModelReading {
  readonly entry: string
  readonly format: 'mjcf' | 'urdf' | null
  readonly model: string | null
  /** All joints, bodies depth-first in document order. */
  readonly joints: readonly ModelJoint[]
  readonly roots: readonly RootBody[]
  /** `floating` exactly where a child of world has a free joint; null where the model could not be read so far. */
  readonly base: 'fixed' | 'floating' | null
  /** Null means an unnamed one. */
  readonly keyframes: readonly (string | null)[]
  readonly names: ModelNames
  /** Degrees of freedom and the like, null where undecided. */
  readonly sizes: { readonly nq: number; readonly nv: number; readonly nu: number; readonly na: number | null } | null
  /** Existing files that the model needs: the entry, includes, assets; in byte order. */
  readonly files: readonly string[]
  readonly missing: readonly MissingFile[]
  /** Each would make MuJoCo reject the model, or exceeds a limit of this reader. */
  readonly faults: readonly ModelFault[]
  /**
   * MuJoCo accepts these, but users should know: a closure that depends on how the model is loaded, a repeated include.
   */
  readonly warnings: readonly ModelFault[]
  readonly undecided: readonly Undecided[]
  /**
   * Why part of the document was not read, so that its declarations are unknown: it is missing, outside the repo or
   * invalid XML. Absent if everything was read.
   */
  readonly unread?: string
  /**
   * Every requested path, found or not: the dependencies of a cached reading. `text` ones were read, others only looked
   * up.
   */
  readonly asked: readonly { readonly path: string; readonly text: boolean }[]
}

/** An empty reading. */
export function emptyReading(entry: string): ModelReading {
  return {
    entry,
    format: null,
    model: null,
    joints: [],
    roots: [],
    base: null,
    keyframes: [],
    names: { bodies: [], sites: [], cameras: [], actuators: [] },
    sizes: null,
    files: [],
    missing: [],
    faults: [],
    warnings: [],
    undecided: [],
    asked: [],
  }
}
