/** The `/v1` route table, one entry per operation, out of every `routes.ts` and `*-routes.ts` of a subject. Behavior and authorization are in `schema/` and `src/` only. */
export { routes } from './routes.generated.ts'

/** Streaming operations: without documents, mounted by the server. */
export const streamed: readonly string[] = [
  'streamRunLogs',
  'downloadRunLog',
  'streamRobotCheckLogs',
  'downloadRobotCheckLog',
]

/** Operations of the spec without a route yet, by name; a test checks that the list is exact. */
export const pending: readonly string[] = []
