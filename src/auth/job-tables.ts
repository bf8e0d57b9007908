/**
 * Kinds of jobs that have a key of their own. The key is invalid as soon as its job has ended, however it ended, so
 * authentication reads the job's row.
 */

export interface KeyedJob {
  /** Name of the kind of job. */
  readonly kind: string
  /** Its table, with `id`, `status` and `repo_ids`: the repos that the key may read. */
  readonly table: string
  /**
   * The operations with a scope that the job's key may use; null: all that the policy does not deny to every key of a
   * hosted job.
   */
  readonly operations: readonly string[] | null
}

export const keyedJobs: readonly KeyedJob[] = [
  { kind: 'run', table: 'runs', operations: null },
  {
    kind: 'robot_check',
    table: 'robot_checks',
    // The job examines and reports. Its key cannot cancel or publish a check, or write to a repo: people decide that.
    operations: [
      'viewer',
      'robotCheck',
      'robotChecks',
      'robotCheckLog',
      'robotCheckUpdated',
      'claimRobotCheck',
      'presignRobotCheckArtifacts',
      'reportRobotCheck',
    ],
  },
  {
    kind: 'endpoint',
    table: 'endpoints',
    // The job reads its model, serves it and reports. Its key cannot stop the endpoint or open a session with it.
    operations: ['viewer', 'endpoint', 'claimEndpoint', 'reportEndpoint'],
  },
]

/** The operations of the key of a job of this kind; none for a kind that is not listed. */
export function operationsOf(kind: string | null): readonly string[] | null {
  const job = keyedJobs.find((keyed) => keyed.kind === kind)
  return job ? job.operations : []
}

/**
 * The job of the keys row `k`, as one row with `kind`, `status` and `repo_ids`. `is_of_call`: the hub made the key for
 * the hosted call that executes the job; else a person made it, for what their run starts.
 */
export const jobOfKeySql = keyedJobs
  .map(
    ({ kind, table }) => `select '${kind}' as kind, u.status::text, u.repo_ids,
      coalesce(u.hosted_credential = k.id, false) as is_of_call from ${table} u where u.id = k.job_id`,
  )
  .join(' union all ')

/** `is_of_call` of the keys row `k`, where its job is not joined; false for a key without one. */
export const isOfCallSql = `coalesce((select j.is_of_call from (${jobOfKeySql}) j), false)`
