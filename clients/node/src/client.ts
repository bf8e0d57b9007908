/** `hub/client`: a typed client of a hub, for Node and browsers. */

export type * from '../../../src/client/problem.ts'
export { LocalError, ProblemError, TransferError } from '../../../src/client/problem.ts'
export type * from '../../../src/client/retry.ts'
export type * from '../../../src/client/run-event.ts'
export { createClient } from '../../../src/client/typed/create-client.ts'
export type * from '../../../src/client/typed/types.ts'
export type * from '../../../src/client/v1.ts'
