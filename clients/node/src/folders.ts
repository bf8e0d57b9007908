/** `hub/folders`: push and pull of whole folders, for Node. */
export { LocalError } from '../../../src/client/problem.ts'
export * from '../../../src/client/typed/folders.ts'
