/** `@hub/client/folders`: push and pull of whole folders, for Node. */
export { LocalError } from './problem.ts'
export * from './typed/folders.ts'
