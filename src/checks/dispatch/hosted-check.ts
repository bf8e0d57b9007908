/** Hosted checks: the check function executes them. */
import type { HostedKind } from '../../hosting/hosted-kind.ts'
import { checkJob } from '../check-job.ts'
import { lockCheck } from '../check-row.ts'
import { settleCheck } from '../end/settle-check.ts'

export const hostedCheck: HostedKind = {
  job: checkJob,
  functionSql: "'robot_check'",
  tierSql: 'null::text',
  maxHoursSql: 'null::float8',
  maxSeconds: ({ checkMaxSeconds }) => checkMaxSeconds,
  keyScope: 'write',
  // The job reads the snapshot and writes artifacts of the check. It writes no repos.
  repoIdsSql: `'[]'::json`,
  endReportedSql: `u.status in ('succeeded', 'failed') and u.stop_reason is null`,
  settle: async (deps, tx, checkId) => settleCheck(deps, tx, await lockCheck(tx, checkId), false),
}
