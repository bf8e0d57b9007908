/** Dispatch of hosted checks: the check function executes them. */
import { type DispatchDeps, dispatchJob, dispatchUndispatched } from '../../hosting/dispatch.ts'
import type { HostedKind } from '../../hosting/hosted-kind.ts'
import { checkJob } from '../check-job.ts'
import { lockCheck } from '../check-row.ts'
import { endCheck } from '../end/end-check.ts'

export const hostedCheck: HostedKind = {
  job: checkJob,
  functionSql: "'robot_check'",
  keyScope: 'write',
  // It reads the snapshot and writes artifacts of the check: no repos.
  repoIdsSql: `'[]'::json`,
  endReportedSql: `u.status in ('succeeded', 'failed') and u.stop_reason is null`,
  settle: async (deps, tx, checkId) => endCheck(deps, tx, await lockCheck(tx, checkId), false),
}

/** Starts a call for a queued hosted check, now or when there is a place for it; a call that cannot be started leaves the check failed with the reason. */
export function dispatchCheck(deps: DispatchDeps, checkId: string): Promise<void> {
  return dispatchJob(deps, hostedCheck, checkId)
}

/** Starts checks that no call is under way for. */
export function dispatchWaitingChecks(deps: DispatchDeps): Promise<void> {
  return dispatchUndispatched(deps, hostedCheck)
}
