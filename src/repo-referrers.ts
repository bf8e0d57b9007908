/** Every subject whose jobs refer to repos, where all of them are known. */
import { checkReferrer } from './checks/create/check-referrer.ts'
import { endpointReferrer } from './endpoints/create/endpoint-referrer.ts'
import type { RepoReferrers } from './repos/referrers.ts'
import { runReferrer } from './runs/create/run-referrer.ts'

export const repoReferrers: RepoReferrers = { run: runReferrer, robot_check: checkReferrer, endpoint: endpointReferrer }
