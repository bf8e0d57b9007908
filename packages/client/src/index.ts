/** `@hub/client`: a typed client of a hub, for Node and browsers. */

export type * from './problem.ts'
export { LocalError, ProblemError, TransferError } from './problem.ts'
export type * from './retry.ts'
export type * from './run-event.ts'
export { createClient } from './typed/create-client.ts'
export type * from './typed/types.ts'
export type * from './v1.ts'
