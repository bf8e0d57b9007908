/**
 * listRuns (spec, "GET /v1/runs"): a keyset page of the runs that the caller can see, newest first, and the facet
 * counts.
 */

import { isId } from '@hub/formats/ids'
import { DEFAULT_PAGE_SIZE } from '@hub/formats/text-rules'
import type { ChangedList } from '../../accounts/changes/shared-changes.ts'
import { canSeeRun, visibleRuns } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { decodeCursor, encodeCursor, idPart, type Page } from '../../platform/page.ts'
import { column, columns } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'
import { getRunsById } from './get-run.ts'
import { type FacetRow, type RunFilter, runFacetStatement, runPageStatement } from './list-sql.ts'
import { type Run, toRun } from './run-shape.ts'

export interface ListRunsInput extends Omit<RunFilter, 'ownerId'> {
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
  const { status, executor, owner, kind, robot, gated, parentRunId } = filters
  return `runs:${JSON.stringify([status, executor, owner, kind, robot, gated, parentRunId].map((value) => value ?? null))}`
}

/**
 * One page, shorter than requested if its runs are large; 422 for a cursor of another listing, empty for an owner that
 * does not exist. One statement, two with an `owner` filter.
 */
export async function listRuns(ctx: RequestContext, input: ListRunsInput): Promise<Page<Run>> {
  const listing = listingName(input)
  const [after] = input.after ? decodeCursor<[string]>(listing, input.after, [idPart('run')]) : [null]
  const limit = input.first ?? DEFAULT_PAGE_SIZE
  const cursorOf = (run: Run) => encodeCursor(listing, [run.id])
  const [account] = input.owner ? await ctx.deps.db.query(billedAccount, { handle: input.owner }) : []
  const nothing = (input.owner && !account) || (input.parentRunId && !isId('run', input.parentRunId))
  if (nothing) return { nodes: [], hasNextPage: false, cursorOf }
  const filter: RunFilter = { ...input, ownerId: account?.id ?? null }
  const { statement, values } = runPageStatement(visibleRuns(ctx.viewer), { filter, after, limit: limit + 1 })
  const rows = await ctx.deps.db.query(statement, values)
  const nodes = rows.slice(0, limit).map((row) => toRun(row))
  return { nodes, hasNextPage: (rows[0]?.found ?? 0) > nodes.length, cursorOf }
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
