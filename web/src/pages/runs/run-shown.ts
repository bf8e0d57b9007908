import type { RunQuery } from './run.graphql.ts'

/** A run with everything that its page shows. */
export type RunShown = NonNullable<RunQuery['run']>
