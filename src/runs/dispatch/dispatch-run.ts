/** Dispatch of hosted runs: the template's function executes them. */
import { type DispatchDeps, dispatchJob, dispatchUndispatched } from '../../hosting/dispatch.ts'
import type { HostedKind } from '../../hosting/hosted-kind.ts'
import { runJob } from '../run-job.ts'

export const hostedRun: HostedKind = {
  job: runJob,
  functionSql: 'u.template',
  keyScope: 'train',
  // The model repo that it made before it was preempted.
  repoIdsSql: 'to_json(array_remove(array[u.output_repo_id], null))',
  endReportedSql: `exists (select 1 from run_attempts a where a.run_id = u.id and a.attempt = u.attempt and a."end" = 'reported')`,
  // History keeps its repos and datasets.
  settle: null,
}

/** Starts a call for a queued hosted run, now or when there is a place for it; a call that cannot be started leaves the run failed with the reason. */
export function dispatchRun(deps: DispatchDeps, runId: string): Promise<void> {
  return dispatchJob(deps, hostedRun, runId)
}

/** Runs that no call is under way for, as after a preemption. */
export function dispatchWaiting(deps: DispatchDeps): Promise<void> {
  return dispatchUndispatched(deps, hostedRun)
}
