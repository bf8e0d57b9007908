/** What a fault is: something that is done to a deployment, and undone. */
import type { Lab, LabSettings } from '../lab/lab.ts'

export interface Fault {
  /** Its name for `--faults`. */
  readonly name: string
  readonly title: string
  /** What this machine lacks for it. */
  readonly needs?: string | null
  /** Of the deployment that it is done to. */
  readonly lab?: LabSettings
  /** Does it, for `ms`, and undoes it. `healed` is called before what was done last is undone. */
  strike(lab: Lab, ms: number, healed: () => void): Promise<void>
}

/** The longest that an answer may take while the fault lasts. The hub gives a silent database 5 s; the rest is for a busy machine. */
export const LONGEST_ANSWER_MS = 10_000
