/** Pages of the runs that belong to something else: the forks of runs, the runs that name repos. Of any number of these at once. */
import { runViewer, visibleRuns } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { HubError } from '../../platform/errors.ts'
import { decodeCursor, encodeCursor, idPart, type Page } from '../../platform/page.ts'
import { DEFAULT_PAGE_SIZE } from '../../platform/text-rules.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'
import type { JobExecutor } from '../../work/held-job.ts'
import type { JobStatus } from '../../work/job-status.ts'
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

/** A run of a page, and of what it is. `bytes` are those of its free-form JSON. */
const relatedColumns = columns({
  of: column<string>('key.id'),
  id: column<string>('page.id'),
  bytes: column<number>('page.bytes'),
})

type RelatedRow = RowOf<typeof relatedColumns>

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

const pageOf = (runs: string) => `select ${relatedColumns.sql}
  from unnest(:of::text[]) key(id) cross join lateral (${runs} limit :limit::int) page order by key.id, page.id desc`

const bytes = `${freeFormBytes('u')} as bytes`

/** By the index of forks, which has them in order. */
const forksOf = statement({
  name: 'run-forks-page',
  columns: relatedColumns,
  params,
  text: pageOf(`select u.id, ${bytes} from runs u where u.parent_run_id = key.id and (:after::text is null or u.id < :after) and ${wanted}
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
    ${pageOf(`select named.id, named.bytes from payer cross join lateral (
        select u.id, ${bytes} from repo_references f join runs u on u.id = f.referrer_id
        where f.repo_id = key.id and f.owner_id = payer.id and (:after::text is null or f.referrer_id < :after) and ${wanted}
        order by f.referrer_id desc limit :limit::int) named
      order by named.id desc`)}`,
})

const isRunId = idPart('run')

/** A page ends early behind the run that takes its recipes, metrics lines and scorecards past 4 MiB, as in every listing of runs. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024
/** Of all pages together: as much as an answer may have. */
const MAX_BYTES = 32 * 1024 * 1024

/** The runs that go on from each of these, newest first. Two statements. */
export function forksOfRuns(ctx: RequestContext, runIds: readonly string[], input: RelatedRunsInput) {
  return relatedRuns(ctx, forksOf, 'forks', runIds, input)
}

/** The runs that name each of these repos as dataset, robot or output, newest first. Two statements. */
export function runsOfRepos(ctx: RequestContext, repoIds: readonly string[], input: RelatedRunsInput) {
  return relatedRuns(ctx, namingRepos, 'repo', repoIds, input)
}

/** A page for each; empty where the caller sees none. Errors: 422 a cursor of another listing, 413 pages that are too large together. */
async function relatedRuns(
  ctx: RequestContext,
  pages: typeof forksOf,
  relation: string,
  of: readonly string[],
  { status = null, executor = null, kind = null, gated = null, ...input }: RelatedRunsInput,
): Promise<Page<Run>[]> {
  const filters = { status, executor, kind, gated }
  const listing = `runs-of:${relation}:${JSON.stringify(filters)}`
  const [after] = input.after ? decodeCursor<[string]>(listing, input.after, [isRunId]) : [null]
  const limit = input.first ?? DEFAULT_PAGE_SIZE
  const rows =
    ctx.viewer.kind === 'anonymous'
      ? []
      : await ctx.deps.db.query(pages, { ...visibleRuns(ctx.viewer), of, after, limit: limit + 1, ...filters })
  const found = Map.groupBy(rows, (row) => row.of)
  const cuts = of.map((id) => cut(found.get(id) ?? [], limit))
  const shown = cuts.flatMap(({ rows }) => rows)
  if (shown.reduce((sum, { bytes }) => sum + bytes, 0) > MAX_BYTES)
    throw new HubError('too_large', 'These runs are too large in total: request fewer at a time.')
  const runs = await runsById(
    ctx,
    shown.map(({ id }) => id),
  )
  return cuts.map(({ rows, hasNextPage }) => ({
    nodes: rows.flatMap(({ id }) => runs.get(id) ?? []),
    hasNextPage,
    cursorOf: (run) => encodeCursor(listing, [run.id]),
  }))
}

/** At least one row, where there is one. */
function cut(rows: readonly RelatedRow[], limit: number): { rows: readonly RelatedRow[]; hasNextPage: boolean } {
  let before = 0
  const end = rows.findIndex(({ bytes }, place) => {
    const isOver = place >= limit || before >= MAX_PAGE_BYTES
    before += bytes
    return isOver
  })
  return end === -1 ? { rows, hasNextPage: false } : { rows: rows.slice(0, end), hasNextPage: true }
}

async function runsById(ctx: RequestContext, ids: readonly string[]): Promise<ReadonlyMap<string, Run>> {
  const runs = await getRunsById(ctx.deps.db, ctx.viewer, [...new Set(ids)])
  return new Map(runs.flatMap((run) => (run ? [[run.id, run] as const] : [])))
}
