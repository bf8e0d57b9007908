/** Pages of the runs that belong to something else: the forks of runs, the runs that name repos. Of any number of these at once. */
import { runViewer, visibleRuns } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import type { Page } from '../../platform/page.ts'
import { param, statement } from '../../store/statement.ts'
import type { JobExecutor } from '../../work/held-job.ts'
import type { JobStatus } from '../../work/job-status.ts'
import { relatedColumns, relatedJobs, relatedPageSql } from '../../work/related-jobs.ts'
import { runJob } from '../run-job.ts'
import { getRunsById } from './get-run.ts'
import { accounts, freeFormBytes } from './list-sql.ts'
import { type Run, type RunKind, visibleRun } from './run-shape.ts'

export interface RelatedRunsInput {
  readonly status?: JobStatus | null
  readonly executor?: JobExecutor | null
  readonly kind?: RunKind | null
  readonly gated?: boolean | null
  readonly first?: number | null
  readonly after?: string | null
}

const params = {
  ...runViewer,
  /** What the runs are of. */
  of: param<readonly string[]>(),
  /** The last run of the previous page. */
  after: param<string | null>(),
  /** How many of each. */
  limit: param<number>(),
  status: param<JobStatus | null>(),
  executor: param<JobExecutor | null>(),
  kind: param<RunKind | null>(),
  gated: param<boolean | null>(),
}

const wanted = `${visibleRun} and (:status::text is null or u.status = :status::"JobStatus")
  and (:executor::text is null or u.executor = :executor::"RunExecutor") and (:kind::text is null or u.kind = :kind::"RunKind")
  and (:gated::boolean is null or (coalesce(u.gate_total, 0) > 0) = :gated)`

const bytes = `${freeFormBytes('u')} as bytes`

/** By the index of forks, which has them in order. */
const forksOf = statement({
  name: 'run-forks-page',
  columns: relatedColumns,
  params,
  text: relatedPageSql(`select u.id, ${bytes} from runs u where u.parent_run_id = key.id and (:after::text is null or u.id < :after) and ${wanted}
    order by u.id desc`),
})

/**
 * By the references of a repo, read account by account of those whose runs the caller may see: what others do with a public dataset costs nothing. A
 * hosted job has no accounts: that of its own run stands in for them.
 */
const namingRepos = statement({
  name: 'repo-runs-page',
  columns: relatedColumns,
  params,
  text: `${accounts}, payer(id) as (select id from account where id is not null union select owner_id from runs where id = :credentialId)
    ${relatedPageSql(`select named.id, named.bytes from payer cross join lateral (
        select u.id, ${bytes} from repo_references f join runs u on u.id = f.referrer_id
        where f.repo_id = key.id and f.owner_id = payer.id and (:after::text is null or f.referrer_id < :after) and ${wanted}
        order by f.referrer_id desc limit :limit::int) named
      order by named.id desc`)}`,
})

/** The runs that go on from each of these, newest first. Two statements. */
export function forksOfRuns(ctx: RequestContext, runIds: readonly string[], input: RelatedRunsInput) {
  return relatedRuns(ctx, forksOf, 'forks', runIds, input)
}

/** The runs that name each of these repos as dataset, robot or output, newest first. Two statements. */
export function runsOfRepos(ctx: RequestContext, repoIds: readonly string[], input: RelatedRunsInput) {
  return relatedRuns(ctx, namingRepos, 'repo', repoIds, input)
}

function relatedRuns(
  ctx: RequestContext,
  pages: typeof forksOf,
  relation: string,
  of: readonly string[],
  { status = null, executor = null, kind = null, gated = null, first, after }: RelatedRunsInput,
): Promise<Page<Run>[]> {
  const filters = { status, executor, kind, gated }
  const viewer = visibleRuns(ctx.viewer)
  return relatedJobs(ctx, {
    job: runJob,
    listing: `runs-of:${relation}:${JSON.stringify(filters)}`,
    of,
    first,
    after,
    rows: (after, limit) => ctx.deps.db.query(pages, { ...viewer, of, after, limit, ...filters }),
    byId: getRunsById,
  })
}
