/** `@hub/track`: makes a run of a hub of any command. */

export { programAt } from './launch.ts'
export { type LeftOnMachine, type LeftRun, leftRuns, nameOf, resumeRun } from './left-runs.ts'
export { type NewTracked, trackNew } from './new-run.ts'
export type { Tracking, TrackOutcome } from './track.ts'
export { wandbFolder } from './wandb-folder.ts'
