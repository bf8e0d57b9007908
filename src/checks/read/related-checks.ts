/**
 * Pages of the checks of repos (as robot, or as model of a model check) and of accounts, for any number of repos or
 * accounts at once.
 */
import { runViewer, visibleRuns } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import type { Page } from '../../platform/page.ts'
import { param, statement } from '../../store/statement.ts'
import type { JobExecutor } from '../../work/held-job.ts'
import type { JobStatus } from '../../work/job-state.ts'
import { relatedColumns, relatedJobs, relatedPageSql } from '../../work/related-jobs.ts'
import { checkJob } from '../check-job.ts'
import type { CheckKind, RobotCheck } from '../check-shape.ts'
import { checkOfJob, kindParam, type Narrowing, pageParams, visibleChecks, writtenBytes } from './check-streams.ts'
import { getChecksById } from './get-check.ts'

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
  of: param.texts(),
  kind: kindParam,
}

const ofKind = `(:kind::text is null or u.kind = :kind::"RobotCheckKind")`
const ofJob = `key.id in (u.robot_repo_id, u.model_repo_id) and ${ofKind}`

/** The size comes from a subquery for each row: PostgreSQL plans a join as a scan of every check. */
const pageOf = (seen: string) =>
  relatedPageSql(`select id, (select ${writtenBytes('s')} from robot_checks s where s.id = seen.id) as bytes from (
      ${seen} order by id desc limit :limit::int) seen order by id desc`)

/** The checks of robots and of models, which have separate indexes. */
const checksOf = (variant: string, narrowedBy: readonly Narrowing[]) => {
  const of = (repo: string) =>
    visibleChecks({ place: { [repo]: 'key.id' }, narrowedBy, condition: `u.${repo} is not null` })
  return statement({
    name: `repo-checks-page${variant}`,
    exact: 'per-parent',
    columns: relatedColumns,
    params,
    text: pageOf(`${of('robot_repo_id')} union ${of('model_repo_id')} union ${checkOfJob(ofJob)}`),
  })
}

/** The index of an account's checks does not have the kind, so the kind is a condition and not a stream. */
const billedTo = (variant: string, narrowedBy: readonly Narrowing[]) =>
  statement({
    name: `account-checks-page${variant}`,
    exact: 'per-parent',
    columns: relatedColumns,
    params,
    text: pageOf(`${visibleChecks({ place: {}, narrowedBy, condition: ofKind, account: 'key.id' })}
      union ${checkOfJob(`u.owner_id = key.id and ${ofKind}`)}`),
  })

const ofRepos = { any: checksOf('', []), narrowed: checksOf('-narrowed', ['kind', 'status', 'executor']) }
const ofAccounts = { any: billedTo('', []), narrowed: billedTo('-narrowed', ['status', 'executor']) }

/**
 * Checks of each robot or model repo. Two statements: the ids of all pages, then their checks. Errors: 422 for a cursor
 * of another listing, 413 for pages that are too large together.
 */
export function checksOfRepos(ctx: RequestContext, repoIds: readonly string[], input: RelatedChecksInput) {
  const isNarrowed = [input.status, input.executor, input.kind].some((filter) => filter != null)
  return relatedChecks(ctx, { page: isNarrowed ? ofRepos.narrowed : ofRepos.any, relation: 'repo', of: repoIds }, input)
}

/** Checks that are billed to each account. Statements and errors as in `checksOfRepos`. */
export function checksOfAccounts(ctx: RequestContext, accountIds: readonly string[], input: RelatedChecksInput) {
  const isNarrowed = [input.status, input.executor].some((filter) => filter != null)
  const page = isNarrowed ? ofAccounts.narrowed : ofAccounts.any
  return relatedChecks(ctx, { page, relation: 'account', of: accountIds }, input)
}

function relatedChecks(
  ctx: RequestContext,
  {
    page,
    relation,
    of,
  }: { readonly page: typeof ofRepos.any; readonly relation: string; readonly of: readonly string[] },
  { status = null, executor = null, kind = null, first, after }: RelatedChecksInput,
): Promise<Page<RobotCheck>[]> {
  const filters = { status, executor, kind }
  const viewer = visibleRuns(ctx.viewer)
  return relatedJobs(ctx, {
    job: checkJob,
    listing: `checks-of-${relation}:${JSON.stringify(filters)}`,
    of,
    first,
    after,
    rows: (after, limit) => ctx.deps.db.query(page, { ...viewer, of, after, limit, ...filters }),
    byId: getChecksById,
  })
}
