/** The checks of repos: of the robot, or of the model of a model check. Pages for any number of repos at once. */
import { runViewer, visibleRuns } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import type { Page } from '../../platform/page.ts'
import { param, statement } from '../../store/statement.ts'
import type { JobExecutor } from '../../work/held-job.ts'
import type { JobStatus } from '../../work/job-status.ts'
import { relatedColumns, relatedJobs, relatedPageSql } from '../../work/related-jobs.ts'
import { checkJob } from '../check-job.ts'
import type { CheckKind, RobotCheck } from '../check-shape.ts'
import { checkOfJob, kindParam, type Narrowing, pageParams, visibleChecks } from './check-streams.ts'
import { getChecksById } from './get-check.ts'
import { writtenBytes } from './list-checks.ts'

export interface RelatedChecksInput {
  readonly status?: JobStatus | null
  readonly executor?: JobExecutor | null
  readonly kind?: CheckKind | null
  readonly first?: number | null
  readonly after?: string | null
}

const params = {
  ...runViewer,
  ...pageParams,
  /** Ids of the repos. */
  of: param<readonly string[]>(),
  kind: kindParam,
}

const ofJob = `key.id in (u.robot_repo_id, u.model_repo_id) and (:kind::text is null or u.kind = :kind::"RobotCheckKind")`

/** Of robots and of models, which are two indexes. */
const checksOf = (variant: string, narrowedBy: readonly Narrowing[]) => {
  const of = (repo: string) =>
    visibleChecks({ place: { [repo]: 'key.id' }, narrowedBy, condition: `u.${repo} is not null` })
  return statement({
    name: `repo-checks-page${variant}`,
    columns: relatedColumns,
    params,
    // The size is looked up row by row: as a join it is planned as a scan of every check.
    text: relatedPageSql(`select id, (select ${writtenBytes('s')} from robot_checks s where s.id = seen.id) as bytes from (
      ${of('robot_repo_id')} union ${of('model_repo_id')} union ${checkOfJob(ofJob)}
      order by id desc limit :limit::int) seen order by id desc`),
  })
}

const pages = {
  any: checksOf('', []),
  narrowed: checksOf('-narrowed', ['kind', 'status', 'executor']),
}

/** Two statements: the ids of all pages, then their checks. Errors: 422 a cursor of another listing, 413 pages that are too large together. */
export function checksOfRepos(
  ctx: RequestContext,
  of: readonly string[],
  { status = null, executor = null, kind = null, first, after }: RelatedChecksInput,
): Promise<Page<RobotCheck>[]> {
  const filters = { status, executor, kind }
  const viewer = visibleRuns(ctx.viewer)
  const page = status === null && executor === null && kind === null ? pages.any : pages.narrowed
  return relatedJobs(ctx, {
    job: checkJob,
    listing: `checks-of-repo:${JSON.stringify(filters)}`,
    of,
    first,
    after,
    rows: (after, limit) => ctx.deps.db.query(page, { ...viewer, of, after, limit, ...filters }),
    byId: getChecksById,
  })
}
