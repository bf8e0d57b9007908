/** Checks as what refers to repos: the robot and the model of one that is queued or running. */
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
