/** Endpoints as what refers to repos: the model of one that is queued or running. */
import type { RepoReferrer } from '../../repos/referrers.ts'

declare module '../../repos/referrers.ts' {
  interface RepoReferrers {
    readonly endpoint: RepoReferrer
  }
}

export const endpointReferrer: RepoReferrer = {
  singular: 'an endpoint',
  plural: 'Endpoints',
  remedy: 'Stop the endpoints first.',
  // A server that has loaded the model of a stranger keeps it; the record names it by id and by the name that it had.
  forgetRepo: async () => {},
}
