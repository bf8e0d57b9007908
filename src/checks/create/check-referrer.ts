/** Checks as repo referrers: a check that is queued or running refers to its robot and its model. */
import type { RepoReferrer } from '../../repos/referrers.ts'

declare module '../../repos/referrers.ts' {
  interface RepoReferrers {
    readonly robot_check: RepoReferrer
  }
}

export const checkReferrer: RepoReferrer = {
  singular: 'a check',
  plural: 'Checks',
  remedy: 'Cancel the checks first.',
  // A check needs the right to write its repos, so none belongs to another account.
  forgetRepo: async () => {},
}
