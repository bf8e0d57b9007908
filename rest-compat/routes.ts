/**
 * The `/v1` operations: routes with a document, out of every `routes.ts` and `*-routes.ts` of a subject, and handlers
 * without one, out of its `handlers.ts`. Behavior and authorization are in `schema/` and `src/` only.
 */
export { handlers } from './handlers.generated.ts'
export { routes } from './routes.generated.ts'

/** Operations of the spec without a route yet, by name; a test checks that the list is exact. */
export const pending: readonly string[] = []
