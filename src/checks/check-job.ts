/**
 * The job kind descriptor of checks. Checks have no lease: the check of a dead worker runs until it is canceled. Spec,
 * "States and transitions".
 */
import { runListedSql } from '../auth/policy.ts'
import type { JobKind } from '../work/job-kind.ts'

export const checkJob: JobKind = {
  name: 'robot_check',
  noun: 'check',
  idPrefix: 'check',
  table: 'robot_checks',
  statusType: 'JobStatus',
  listedSql: runListedSql,
  lease: null,
}
