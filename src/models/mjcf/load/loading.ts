/** The state of one reading while its files are put together. */
import type { Faults } from '../fault.ts'
import type { GatheredFiles } from './gather-files.ts'
import type { LoadReport } from './loaded-model.ts'

/** What the models of one reading share. */
export interface Loading {
  readonly gathered: GatheredFiles
  readonly faults: Faults
  readonly report: LoadReport
  /** Files whose own fault was reported: once is enough, however often they are included. */
  readonly reported: Set<string>
  /** What the reading may still take. */
  readonly left: { elements: number; bytes: number; includes: number; models: number }
}
