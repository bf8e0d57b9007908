/** Every subject whose jobs refer to repos, where all of them are known. */
import type { RepoReferrers } from './repos/referrers.ts'
import { runReferrer } from './runs/create/run-referrer.ts'

export const repoReferrers: RepoReferrers = { run: runReferrer }
