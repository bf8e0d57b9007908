/** State shared by all drafts of one reading. */
import type { Compiler } from '../compiler.ts'
import type { Faults } from '../fault.ts'
import type { LoadedModel } from '../load/loaded-model.ts'
import type { Undecided } from '../reading.ts'

/** Shared by a model and those attached to it. */
export interface Building {
  readonly faults: Faults
  /** The model being read: faults of its own actuators are reported with the other faults of actuators. */
  readonly top: LoadedModel
  /** Objects that exist now, in all drafts, and references looked up so far. */
  readonly spent: { objects: number; lookups: number }
  readonly undecided: Undecided[]
  readonly compilers: Map<LoadedModel, Compiler>
  /** Duplicate names already reported. */
  readonly twice: Set<string>
}
