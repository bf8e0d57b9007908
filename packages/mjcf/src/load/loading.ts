/** The state of one reading while its files are loaded. */
import type { Faults } from '../fault.ts'
import type { GatheredFiles } from './gather-files.ts'
import type { LoadReport } from './loaded-model.ts'

/** State shared by the models of one reading. */
export interface Loading {
  readonly gathered: GatheredFiles
  readonly faults: Faults
  readonly report: LoadReport
  /** Files whose own fault was reported, to report it once. */
  readonly reported: Set<string>
  /** Remaining budget of the reading. */
  readonly left: { elements: number; bytes: number; includes: number; models: number }
}
