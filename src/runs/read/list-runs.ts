/**
 * listRuns (spec, "GET /v1/runs"): a keyset page of the runs that the caller can see, newest first, and the facet
 * counts.
 */

import { isId } from '@hub/formats/ids'
import { DEFAULT_PAGE_SIZE } from '@hub/formats/text-rules'
import type { ChangedList } from '../../accounts/changes/shared-changes.ts'
import { canSeeRun, type VisibleRuns, visibleRuns } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { decodeCursor, encodeCursor, idPart, type KeyPart, type Page } from '../../platform/page.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'
import { type FacetRow, runFacetStatement } from './facets-sql.ts'
import { getRunsById } from './get-run.ts'
import { type listedColumns, type RunFilter, type RunPageQuery, runPageEnd, runPageStatement } from './list-sql.ts'
import { type Run, toRun } from './run-shape.ts'
import { type SortInput, sortOrderOf } from './sort-order.ts'
import { type SortedQuery, sortedPageStatement } from './sorted-sql.ts'

export interface ListRunsInput extends Omit<RunFilter, 'ownerId'>, SortInput {
  /** Handle of the billed account. */
  readonly owner?: string | null
  readonly first?: number | null
  readonly after?: string | null
}

export interface RunFacetBucket {
  readonly value: string
  readonly count: number
}

/** Counts over all runs that the caller can see. Values that no run has are omitted, except for `gated`. */
export interface RunFacets {
  readonly total: number
  readonly kind: readonly RunFacetBucket[]
  readonly executor: readonly RunFacetBucket[]
  readonly status: readonly RunFacetBucket[]
  readonly robot: readonly RunFacetBucket[]
  readonly gated: readonly RunFacetBucket[]
}

const idColumn = columns({ id: column.text('id') })

const billedAccount = statement({
  name: 'run-owner-by-handle',
  exact: 'each-request',
  columns: idColumn,
  params: { handle: param.text() },
  text: `select ${idColumn.sql} from accounts where handle = :handle`,
})

/** Identifies the listing: must not change between pages. */
function listingName({ first: _first, after: _after, ...filters }: ListRunsInput): string {
  const { status, executor, owner, kind, robot, gated, parentRunId, project, group, template, tag, q } = filters
  const { sortMetric, sortBy, order } = filters
  const now = [status, executor, owner, kind, robot, gated, parentRunId]
  // A list without these has the cursors that it had before there were any.
  const later = [project, group, template, tag?.length ? tag : null, q, sortMetric, sortBy, order]
  const named = later.every((value) => value == null) ? now : [...now, ...later]
  return `runs:${JSON.stringify(named.map((value) => value ?? null))}`
}

/**
 * One page, shorter than requested if its runs are large; 422 for a cursor of another listing and an order that there
 * is not, empty for an owner that does not exist. One statement, one more with an `owner` filter, and with a search that
 * has no index (`short-search.ts`), whose pages may be shorter too.
 */
export async function listRuns(ctx: RequestContext, input: ListRunsInput): Promise<Page<Run>> {
  const listing = listingName(input)
  const sort = sortOrderOf(input)
  const [after, afterValue] = placeOf(listing, input.after, sort !== null)
  const limit = input.first ?? DEFAULT_PAGE_SIZE
  const cursorOf = (run: Run) => encodeCursor(listing, sort ? [run.id, run.sortValue] : [run.id])
  const [account] = input.owner ? await ctx.deps.db.query(billedAccount, { handle: input.owner }) : []
  const nothing = (input.owner && !account) || (input.parentRunId && !isId('run', input.parentRunId))
  if (nothing) return { nodes: [], hasNextPage: false, cursorOf }
  const filter: RunFilter = { ...input, ownerId: account?.id ?? null }
  const query = { filter, after, limit: limit + 1 }
  const viewer = visibleRuns(ctx.viewer)
  const until = sort ? null : await endOf(ctx, viewer, query)
  const rows: readonly ListedRow[] = sort
    ? await sortedRows(ctx, viewer, { ...query, ...sort, afterValue })
    : await newestRows(ctx, viewer, { ...query, until })
  const nodes = rows.slice(0, limit).map((row) => toRun(row, row.sortValue ?? null))
  if ((rows[0]?.found ?? 0) > nodes.length) return { nodes, hasNextPage: true, cursorOf }
  const endsAfter = until === null ? undefined : encodeCursor(listing, [until])
  return { nodes, hasNextPage: until !== null, cursorOf, endsAfter }
}

async function endOf({ deps }: RequestContext, viewer: VisibleRuns, query: RunPageQuery): Promise<string | null> {
  const end = runPageEnd(viewer, query)
  const [last] = end ? await deps.db.query(end.statement, end.values) : []
  return last?.id ?? null
}

type ListedRow = RowOf<typeof listedColumns> & { readonly sortValue?: number }

/** The run that a page begins after, and its value. */
function placeOf(
  listing: string,
  cursor: string | null | undefined,
  isSorted: boolean,
): readonly [string | null, number | null] {
  if (!cursor) return [null, null]
  const isNumber = (part: KeyPart): part is number => typeof part === 'number'
  if (isSorted) return decodeCursor<[string, number]>(listing, cursor, [idPart('run'), isNumber])
  const [after] = decodeCursor<[string]>(listing, cursor, [idPart('run')])
  return [after, null]
}

function newestRows({ deps }: RequestContext, viewer: VisibleRuns, query: RunPageQuery) {
  const { statement, values } = runPageStatement(viewer, query)
  return deps.db.query(statement, values)
}

function sortedRows({ deps }: RequestContext, viewer: VisibleRuns, query: SortedQuery) {
  const { statement, values } = sortedPageStatement(viewer, query)
  return deps.db.query(statement, values)
}

/** Only the most frequent values are listed, since robots are free text. */
const MAX_BUCKETS = 100

/** RunFacets: no filter of the request is applied. One statement. */
export async function runFacets(ctx: RequestContext): Promise<RunFacets> {
  const viewer = visibleRuns(ctx.viewer)
  const rows = await ctx.deps.db.query(runFacetStatement(viewer), viewer)
  const of = (facet: FacetRow['facet']): RunFacetBucket[] =>
    rows
      .flatMap((row) => (row.facet === facet && row.value !== null ? [{ value: row.value, count: row.count }] : []))
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
      .slice(0, MAX_BUCKETS)
  const gated = of('gated')
  return {
    total: rows.find((row) => row.facet === 'total')?.count ?? 0,
    kind: of('kind'),
    executor: of('executor'),
    status: of('status'),
    robot: of('robot'),
    gated: ['true', 'false'].map((value) => gated.find((bucket) => bucket.value === value) ?? { value, count: 0 }),
  }
}

/** How `followChanges` follows the list of an account's runs. */
export const changedRuns: ChangedList<Run> = {
  kind: 'run',
  wokenBy: 'run',
  byId: getRunsById,
  saw: ({ thingId, createdBy, filedBy, repoIds }, ownerId, viewer) =>
    canSeeRun({ id: thingId, ownerId, createdBy, filedBy: filedBy ?? '', repoIds }, viewer),
}
