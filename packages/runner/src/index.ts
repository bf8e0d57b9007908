/** `@hub/runner`: claims training runs of a hub and executes them on this machine. */

export { createHubClient } from '@hub/client/internal'
export type { Runner, RunOutcome } from './execute-run.ts'
export { type WorkOptions, work } from './work.ts'
