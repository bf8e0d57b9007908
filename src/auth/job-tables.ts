/** Kinds of jobs that keys are made for. Such a key is revoked by the end of its job, whatever ends it, so authentication reads the job's row. */

export interface KeyedJob {
  /** Name of the kind of job. */
  readonly kind: string
  /** Its table, with `id`, `status` and `repo_ids`: the repos that the key may read. */
  readonly table: string
  /** The operations with a scope that its key may use; null: those that the policy does not deny to the key of any job. */
  readonly operations: readonly string[] | null
}

export const keyedJobs: readonly KeyedJob[] = [
  { kind: 'run', table: 'runs', operations: null },
  {
    kind: 'robot_check',
    table: 'robot_checks',
    // It examines and reports. It is not for people's decisions: to cancel or publish a check, or to write to a repo.
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
    // It serves: it reads its model, and reports. Who stops it, or opens a session with it, is for others to say.
    operations: ['viewer', 'endpoint', 'claimEndpoint', 'reportEndpoint'],
  },
]

/** The operations of the key of a job of this kind; none for a kind that is not listed. */
export function operationsOf(kind: string | null): readonly string[] | null {
  const job = keyedJobs.find((keyed) => keyed.kind === kind)
  return job ? job.operations : []
}

/** The job of the keys row `k`, as one row with `kind`, `status` and `repo_ids`. */
export const jobOfKeySql = keyedJobs
  .map(
    ({ kind, table }) => `select '${kind}' as kind, u.status::text, u.repo_ids from ${table} u where u.id = k.job_id`,
  )
  .join(' union all ')
