/** What a fault is: something that is done to a deployment, and undone. */
import type { Lab, LabSettings } from '../lab/lab.ts'

/** The hub gives a silent database 5 s; the rest is for a busy machine. */
export const OF_DATABASE_MS = 10_000
/** A repeated request waits up to 10 s for the one that it repeats, and the one that was killed with its hub is not told from a slow one. */
export const OF_HUB_MS = 15_000

export interface Fault {
  /** Its name for `--faults`. */
  readonly name: string
  readonly title: string
  /** What this machine lacks for it. */
  readonly needs?: string | null
  /** The longest that an answer may take while it lasts. */
  readonly longestMs: number
  /** Of the deployment that it is done to. */
  readonly lab?: LabSettings
  /** Does it, for `ms`, and undoes it. `healed` is called before what was done last is undone. */
  strike(lab: Lab, ms: number, healed: () => void): Promise<void>
}
