/**
 * Pages of the jobs that belong to repos, accounts or other jobs, for any number of these owners at once, in two
 * statements.
 */

import { DEFAULT_PAGE_SIZE } from '@hub/formats/text-rules'
import type { RequestContext, Viewer } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import { decodeCursor, encodeCursor, idPart, type Page } from '../platform/page.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import type { JobKind } from './job-kind.ts'

/**
 * Columns of `key(id) … page(id, bytes)`: the id that the page belongs to, a job of the page, and the bytes of its
 * free-form JSON.
 */
export const relatedColumns = columns({
  of: column.text('key.id'),
  id: column.text('page.id'),
  bytes: column.int4('page.bytes'),
})

type RelatedRow = RowOf<typeof relatedColumns>

/**
 * The select list and the join that make a page for each of `:of`: `jobs` selects `id` and `bytes` of the jobs of
 * `key.id`, newest first.
 */
export const relatedPageSql = (jobs: string) => `select ${relatedColumns.sql}
  from unnest(:of::text[]) key(id) cross join lateral (${jobs} limit :limit::int) page order by key.id, page.id desc`

/** A page ends early after the job that takes its free-form JSON past 4 MiB, as in every listing of jobs. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024
/** Limit for all pages together: the maximum size of a response. */
const MAX_BYTES = 32 * 1024 * 1024

export interface RelatedJobs<T> {
  readonly job: JobKind
  /** Identifies relation and filters: a cursor is valid only for this listing. */
  readonly listing: string
  /** Ids that the jobs belong to: one page for each. */
  readonly of: readonly string[]
  readonly first?: number | null | undefined
  readonly after?: string | null | undefined
  /** Rows of the pages, up to `limit` each, after the job `after`. */
  readonly rows: (after: string | null, limit: number) => Promise<RelatedRow[]>
  readonly byId: (querier: Querier, viewer: Viewer, ids: readonly string[]) => Promise<(T | null)[]>
}

/**
 * A page for each of `of`; empty if the caller sees no job. Errors: 422 for a cursor of another listing, 413 for pages
 * that are too large together.
 */
export async function relatedJobs<T extends { readonly id: string }>(
  ctx: RequestContext,
  { job, listing, of, first, after: cursor, rows: read, byId }: RelatedJobs<T>,
): Promise<Page<T>[]> {
  const [after] = cursor ? decodeCursor<[string]>(listing, cursor, [idPart(job.idPrefix)]) : [null]
  const limit = first ?? DEFAULT_PAGE_SIZE
  const rows = ctx.viewer.kind === 'anonymous' ? [] : await read(after, limit + 1)
  const found = Map.groupBy(rows, (row) => row.of)
  const cuts = of.map((id) => cut(found.get(id) ?? [], limit))
  const shown = cuts.flatMap(({ rows }) => rows)
  const used = shown.reduce((sum, { bytes }) => sum + bytes, 0)
  if (used > MAX_BYTES)
    throw new HubError('too_large', `These ${job.noun}s are too large in total: request fewer at a time.`, {
      facts: { unit: 'bytes', limit: MAX_BYTES, used },
    })
  const ids = [...new Set(shown.map(({ id }) => id))]
  const jobs = ids.length === 0 ? [] : await byId(ctx.deps.db, ctx.viewer, ids)
  const known = new Map(jobs.flatMap((one) => (one ? [[one.id, one] as const] : [])))
  return cuts.map(({ rows, hasNextPage }) => ({
    nodes: rows.flatMap(({ id }) => known.get(id) ?? []),
    hasNextPage,
    cursorOf: (one) => encodeCursor(listing, [one.id]),
  }))
}

/** The rows of one page: up to `limit` and `MAX_PAGE_BYTES`, but at least one if there are any. */
function cut(rows: readonly RelatedRow[], limit: number): { rows: readonly RelatedRow[]; hasNextPage: boolean } {
  let before = 0
  const end = rows.findIndex(({ bytes }, place) => {
    const isOver = place >= limit || before >= MAX_PAGE_BYTES
    before += bytes
    return isOver
  })
  return end === -1 ? { rows, hasNextPage: false } : { rows: rows.slice(0, end), hasNextPage: true }
}
