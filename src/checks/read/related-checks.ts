/** The checks of repos: of the robot, or of the model of a model check. Pages for any number of repos at once. */
import { runViewer, runVisibleSql, visibleRuns } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import type { Page } from '../../platform/page.ts'
import { param, statement } from '../../store/statement.ts'
import type { JobExecutor } from '../../work/held-job.ts'
import type { JobStatus } from '../../work/job-status.ts'
import { relatedColumns, relatedJobs, relatedPageSql } from '../../work/related-jobs.ts'
import { checkJob } from '../check-job.ts'
import type { CheckKind, RobotCheck } from '../check-shape.ts'
import { getChecksById } from './get-check.ts'
import { writtenBytes } from './list-checks.ts'

export interface RelatedChecksInput {
  readonly status?: JobStatus | null
  readonly executor?: JobExecutor | null
  readonly kind?: CheckKind | null
  readonly first?: number | null
  readonly after?: string | null
}

const wanted = `${runVisibleSql('u')} and (:status::text is null or u.status = :status::"JobStatus")
  and (:executor::text is null or u.executor = :executor::"RunExecutor") and (:kind::text is null or u.kind = :kind::"RobotCheckKind")
  and (:after::text is null or u.id < :after)`

const newest = `and ${wanted} order by u.id desc limit :limit::int`
/** By an index of the repo and the account that is billed: checks of accounts that are not the caller's are never read. */
const ofAccounts = (repo: string) => `select mine.id from unnest(:accountIds::text[]) account(id) cross join lateral (
    select u.id from robot_checks u where u.${repo} = key.id and u.owner_id = account.id ${newest}) mine`
/** By an index of the repo and the person, who may have left the account since. */
const madeForOthers = (repo: string) =>
  `(select u.id from robot_checks u where u.${repo} = key.id and u.created_by = :userId and u.created_by <> u.owner_id ${newest})`
/** The key of a hosted job sees the check that it is for. */
const ofJob = `select u.id from robot_checks u where u.id = :credentialId and key.id in (u.robot_repo_id, u.model_repo_id) and ${wanted}`

const checksOf = statement({
  name: 'repo-checks-page',
  columns: relatedColumns,
  params: {
    ...runViewer,
    /** Ids of the repos. */
    of: param<readonly string[]>(),
    after: param<string | null>(),
    /** How many of each. */
    limit: param<number>(),
    status: param<JobStatus | null>(),
    executor: param<JobExecutor | null>(),
    kind: param<CheckKind | null>(),
  },
  text: relatedPageSql(`select s.id, ${writtenBytes('s')} as bytes from (
      ${ofAccounts('robot_repo_id')} union ${ofAccounts('model_repo_id')}
      union ${madeForOthers('robot_repo_id')} union ${madeForOthers('model_repo_id')} union ${ofJob}
      order by id desc limit :limit::int) seen join robot_checks s on s.id = seen.id order by s.id desc`),
})

/** Two statements: the ids of all pages, then their checks. Errors: 422 a cursor of another listing, 413 pages that are too large together. */
export function checksOfRepos(
  ctx: RequestContext,
  of: readonly string[],
  { status = null, executor = null, kind = null, first, after }: RelatedChecksInput,
): Promise<Page<RobotCheck>[]> {
  const filters = { status, executor, kind }
  const viewer = visibleRuns(ctx.viewer)
  return relatedJobs(ctx, {
    job: checkJob,
    listing: `checks-of-repo:${JSON.stringify(filters)}`,
    of,
    first,
    after,
    rows: (after, limit) => ctx.deps.db.query(checksOf, { ...viewer, of, after, limit, ...filters }),
    byId: getChecksById,
  })
}
