/**
 * Pages of related runs: the forks of runs, the runs that name repos, the runs billed to accounts; for any number of
 * these objects at once.
 */
import { ownRunSql, runListedSql, runViewer, visibleRuns } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import type { Page } from '../../platform/page.ts'
import type { RowOf } from '../../store/columns.ts'
import { type Given, param, statement } from '../../store/statement.ts'
import type { JobExecutor } from '../../work/held-job.ts'
import type { JobStatus } from '../../work/job-state.ts'
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

export const relatedParams = {
  ...runViewer,
  /** Ids of the runs, repos or accounts that the pages belong to. */
  of: param.texts(),
  /** The last run of the previous page. */
  after: param.text.orNull(),
  /** Maximum number of runs for each of `of`. */
  limit: param.int4(),
  status: param.text.orNull<JobStatus>(),
  executor: param.text.orNull<JobExecutor>(),
  kind: param.text.orNull<RunKind>(),
  gated: param.bool.orNull(),
}

/** SQL condition: the run `u` is visible and passes the filters. */
export const wantedRun = `${visibleRun} and (:status::text is null or u.status = :status::"JobStatus")
  and (:executor::text is null or u.executor = :executor::"RunExecutor")
  and (:kind::text is null or u.kind = :kind::"RunKind")
  and (:gated::boolean is null or (coalesce(u.gate_total, 0) > 0) = :gated)`

const bytes = `${freeFormBytes('u')} as bytes`

/** Reads the index of forks in its order. */
const forksOf = statement({
  name: 'run-forks-page',
  exact: 'per-parent',
  columns: relatedColumns,
  params: relatedParams,
  text: relatedPageSql(`select u.id, ${bytes} from runs u where u.parent_run_id = key.id and (:after::text is null or u.id < :after) and ${wantedRun}
    order by u.id desc`),
})

/** Why a run refers to a repo: the values of `repo_references.reason` that runs use. */
type RunReason = 'dataset' | 'robot' | 'output'

interface Referring {
  readonly reasons: readonly RunReason[]
  /** SQL condition on the run `u`. */
  readonly condition: string
  /** Parameter that limits the result to one reason, unless its value is null. */
  readonly as?: ':as'
  /** The runs of one page (`:after`, `:limit`), or all runs. */
  readonly extent: 'page' | 'all'
}

/**
 * SQL for the ids of the visible runs that refer to the repo `key`; `accounts` must precede it. It reads one stream for
 * each account and reason in index order, so that other accounts' use of a public dataset costs nothing. The runs that
 * a person created for accounts that they have left are looked up one by one, and so is the run of a hosted job's key,
 * which has no accounts. The order has all columns of the index, and the conditions are not equalities: after
 * equalities, the planner may choose another index.
 */
export function runsReferring({ reasons, condition, as, extent }: Referring): string {
  const words = reasons.map((reason) => `('${reason}')`).join(', ')
  const known = `(select word from (values ${words}) named(word)${as ? ` where ${as}::text is null or word = ${as}` : ''})`
  const isOlder = (id: string) => (extent === 'page' ? `${id} < coalesce(:after::text, 'run_z') and ` : '')
  const order = ['repo_id', 'owner_id', 'reason', 'referrer_id'].map((name) => `f.${name} desc`).join(', ')
  const limit = extent === 'page' ? 'limit :limit::int' : ''
  return `select referring.id from account cross join ${known} known cross join lateral (
        select u.id from repo_references f join runs u on u.id = f.referrer_id
        where f.repo_id = any(array[key.id]) and f.owner_id = any(array[account.id])
          and f.reason = any(array[known.word])
          and ${isOlder('f.referrer_id')}${condition} order by ${order} ${limit}) referring
        where account.mine
      union all select made.id from (
          select theirs.id from account cross join lateral (select u.id from runs u
              where u.created_by = :userId and u.created_by <> u.owner_id and u.owner_id = account.id
                and ${isOlder('u.id')}${condition} offset 0) theirs
            where not account.mine
          union all select u.id from runs u where u.id = :credentialId and ${isOlder('u.id')}${condition} offset 0) made
        cross join lateral (select 1 from repo_references f
          where f.repo_id = key.id and f.referrer_id = made.id and f.reason in ${known} limit 1) referring`
}

/** A page of the runs that `ids` selects for the repo `key`. Sizes are computed only for the runs of the page. */
export const runPageSql = (ids: string) =>
  `${accounts} ${relatedPageSql(`select id, (select ${freeFormBytes('s')} from runs s where s.id = seen.id) as bytes
    from (select id from (${ids}) found group by id order by id desc limit :limit::int) seen order by id desc`)}`

const namingRepos = statement({
  name: 'repo-runs-page',
  exact: 'per-parent',
  columns: relatedColumns,
  params: relatedParams,
  text: runPageSql(runsReferring({ reasons: ['dataset', 'robot', 'output'], condition: wantedRun, extent: 'page' })),
})

const ofPayer = (condition: string, order: string) => `(select u.id from runs u
    where ${condition} and (:after::text is null or u.id < :after) and ${wantedRun} order by ${order} limit :limit::int)`
/**
 * For a source of few runs, which are all read before sorting. If the inner query had an order, the planner might scan
 * the runs of all accounts by id.
 */
const ofFew = (condition: string) => `(select few.id from (select u.id from runs u
    where ${condition} and (:after::text is null or u.id < :after) and ${wantedRun} offset 0) few order by few.id desc limit :limit::int)`
/**
 * No plain equality, so that the order has all columns of the index of an account's runs: with an equality, the planner
 * may choose any index on ids.
 */
const inOrder = 'u.owner_id = any(array[key.id])'

/** Of a person, for an account that is not theirs. */
const madeForOthers = `key.id <> all(:accountIds::text[]) and :repoIds::text[] is null and u.created_by = :userId
        and u.created_by <> u.owner_id and u.owner_id = key.id`

/**
 * Each branch is one way to see a run of an account and uses an index, so that the account's other runs cost nothing.
 * The viewer is a member of the account, created the run for it, has a limited key that filed the run or lists its
 * repos, or has the key of the run's own hosted job.
 */
const billedTo = statement({
  name: 'account-runs-page',
  exact: 'per-parent',
  columns: relatedColumns,
  params: relatedParams,
  text: relatedPageSql(`select id, (select ${freeFormBytes('s')} from runs s where s.id = seen.id) as bytes from (select id from (
      ${ofPayer(`key.id = any(:accountIds::text[]) and :repoIds::text[] is null and ${inOrder}`, 'u.owner_id, u.id desc')}
      union ${ofFew(madeForOthers)}
      union ${ofPayer(`:repoIds::text[] is not null and u.filed_by = any(array[:credentialId::text]) and ${ownRunSql('u')} and u.owner_id = key.id`, 'u.filed_by, u.id desc')}
      union ${ofFew(`:repoIds::text[] is not null and ${runListedSql('u')} and ${ownRunSql('u')} and u.owner_id = key.id`)}
      union ${ofFew('u.id = :credentialId and u.owner_id = key.id')}) found
    order by id desc limit :limit::int) seen order by id desc`),
})

/** The forks of each of these runs, newest first. Two statements. */
export function forksOfRuns(ctx: RequestContext, runIds: readonly string[], input: RelatedRunsInput) {
  return pagesOfRuns(ctx, { relation: 'forks', of: runIds }, input, readingBy(ctx, forksOf))
}

/** The runs that name each of these repos as dataset, robot or output, newest first. Two statements. */
export function runsOfRepos(ctx: RequestContext, repoIds: readonly string[], input: RelatedRunsInput) {
  return pagesOfRuns(ctx, { relation: 'repo', of: repoIds }, input, readingBy(ctx, namingRepos))
}

/** The runs that are billed to each of these accounts, newest first. Two statements. */
export function runsOfAccounts(ctx: RequestContext, accountIds: readonly string[], input: RelatedRunsInput) {
  return pagesOfRuns(ctx, { relation: 'account', of: accountIds }, input, readingBy(ctx, billedTo))
}

type ReadRows = (values: Given<typeof relatedParams>) => Promise<RowOf<typeof relatedColumns>[]>

const readingBy =
  (ctx: RequestContext, pages: typeof forksOf): ReadRows =>
  (values) =>
    ctx.deps.db.query(pages, values)

/**
 * A page for each of `of`; `relation` names the listing in its cursors. Two statements, of which `rows` is the first.
 */
export function pagesOfRuns(
  ctx: RequestContext,
  { relation, of }: { readonly relation: string; readonly of: readonly string[] },
  { status = null, executor = null, kind = null, gated = null, first, after }: RelatedRunsInput,
  rows: ReadRows,
): Promise<Page<Run>[]> {
  const filters = { status, executor, kind, gated }
  const viewer = visibleRuns(ctx.viewer)
  return relatedJobs(ctx, {
    job: runJob,
    listing: `runs-of:${relation}:${JSON.stringify(filters)}`,
    of,
    first,
    after,
    rows: (after, limit) => rows({ ...viewer, of, after, limit, ...filters }),
    byId: getRunsById,
  })
}
