/** Hosted runs: the template's function executes them. */
import { releaseSpend } from '../../billing/reservations.ts'
import type { HostedKind } from '../../hosting/hosted-kind.ts'
import { runJob } from '../run-job.ts'

export const hostedRun: HostedKind = {
  job: runJob,
  functionSql: 'u.template',
  tierSql: 'u.gpu_type',
  maxHoursSql: 'u.max_hours::float8',
  maxSeconds: (_hosted, maxHours) => (maxHours === null ? null : Math.ceil(maxHours * 3600)),
  keyScope: 'train',
  // The model repo that the run created before it was preempted.
  repoIdsSql: 'to_json(array_remove(array[u.output_repo_id], null))',
  endReportedSql: `exists (select 1 from run_attempts a where a.run_id = u.id and a.attempt = u.attempt
    and a."end" = 'reported')`,
  // The run never executed, so it costs nothing. History keeps its repos and datasets.
  settle: async (_deps, tx, runId) => {
    await releaseSpend(tx, runId)
    return '0.0000'
  },
}
