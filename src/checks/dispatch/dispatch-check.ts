/** Dispatch of hosted checks: the check function executes them. */
import { type DispatchDeps, dispatchJob, dispatchUndispatched } from '../../hosting/dispatch.ts'
import type { HostedKind } from '../../hosting/hosted-kind.ts'
import type { Statement } from '../../store/db.ts'
import { checkJob } from '../check-job.ts'

export const hostedCheck: HostedKind = {
  job: checkJob,
  functionSql: "'robot_check'",
  // It reads the snapshot and writes artifacts of the check: no repos.
  repoIdsSql: `'[]'::json`,
  endReportedSql: `u.status in ('succeeded', 'failed')`,
}

/** Starts a call for a queued hosted check, now or when there is a place for it; a call that cannot be started leaves the check failed with the reason. */
export function dispatchCheck(deps: DispatchDeps, checkId: string): Promise<void> {
  return dispatchJob(deps, hostedCheck, checkId)
}

/** A check whose call could not be started has ended without a verb of its own. */
const dropEnded: Statement<never> = {
  name: 'robot-check-references-left',
  text: `delete from repo_references f using robot_checks u where f.referrer_id = u.id and f.referrer_kind = 'robot_check' and u.finished_at is not null`,
}

/** Starts checks that no call is under way for, and frees the repos of those that could not be started. */
export async function dispatchWaitingChecks(deps: DispatchDeps): Promise<void> {
  await deps.db.query(dropEnded)
  await dispatchUndispatched(deps, hostedCheck)
}
