/**
 * getRepoTree (spec, "GET …/tree"): a flat listing in byte order of path, a keyset page at constant cost, regardless of
 * the size of the repo.
 */

import { justAfter, pathFault, prefixSuccessor } from '@hub/text/file-path'
import { repoViewer, visibleRepos } from '../auth/policy.ts'
import type { RequestContext } from '../operation/context.ts'
import { invalid } from '../platform/errors.ts'
import { decodeCursor, encodeCursor, type KeyPart, MAX_CURSOR_LENGTH, type Page } from '../platform/page.ts'
import { getRepo } from '../repos/get-repo.ts'
import { visibleRepo } from '../repos/repo-shape.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import { type BriefFileEntry, briefEntryColumns, fileEntryColumns, type RepoFileEntry } from './file-entry.ts'

/** Length of a path that always fits a cursor, even with every byte escaped and base64-encoded. */
const SHORT_PATH_BYTES = 56

/** Set if the path may be too long for a cursor: the cursor then holds the row id. */
const id = column.int8.orNull(`case when octet_length(f.path) > ${SHORT_PATH_BYTES} then f.id end`)

export const pageColumns = fileEntryColumns.with({ id })
export type TreeRow = RowOf<typeof pageColumns>
const ofRepo = { repoId: column.text('q.repo_id') }

/**
 * The first rows of a path range of each repo. The limit applies before the join with blobs, and `offset 0` keeps each
 * blob an index look-up: a prepared statement does not know its limit, assumes a tenth of a large repo and would plan a
 * hash of all blobs.
 */
const pagesSql = `from unnest(:repoIds::text[], :lower::text[]) with ordinality as q(repo_id, lower, place)
    cross join lateral (select id, path, blob_id, mime, updated_at from files
      where repo_id = q.repo_id and to_seq is null and path >= q.lower and path < :upper order by path limit :limit) f
    cross join lateral (select size, etag, sha256 from blobs where id = f.blob_id offset 0) b
    order by q.place, f.path`

const pageParams = {
  repoIds: param.texts(),
  /** Lower bound of each page, and the common upper bound. */
  lower: param.texts(),
  upper: param.text(),
  limit: param.int8(),
}

const pageOfRepoColumns = pageColumns.with(ofRepo)

export const treePage = statement({
  name: 'files-tree',
  exact: 'hot',
  columns: pageOfRepoColumns,
  params: pageParams,
  text: `select ${pageOfRepoColumns.sql} ${pagesSql}`,
})

const briefColumns = briefEntryColumns.with({ ...ofRepo, id })

/** The same with brief entries: a cell that no one reads costs both sides about as much as one that is. */
const briefTreePage = statement({
  name: 'files-tree-brief',
  exact: 'hot',
  columns: briefColumns,
  params: pageParams,
  text: `select ${briefColumns.sql} ${pagesSql}`,
})

const pathColumn = columns({ path: column.text('f.path') })

/**
 * The path of a row, only within the listing's own repo (by id or full name): a forged row id would otherwise reveal
 * how a hidden path compares.
 */
export const pathOfRow = statement({
  name: 'files-cursor-row',
  exact: 'per-parent',
  columns: pathColumn,
  params: { id: param.int8(), repo: param.text() },
  text: `select ${pathColumn.sql} from files f join repos r on r.id = f.repo_id join accounts o on o.id = r.owner_id
    where f.id = :id and (r.id = :repo or o.handle || '/' || r.slug = :repo)`,
})

export type FilePage = Page<RepoFileEntry>

export interface FilesOfRepos {
  /** The caller can see these repos (already checked). */
  readonly repoIds: readonly string[]
  readonly prefix: string
  readonly limit: number
  readonly after: string | null
}

/** A page of the files of the repo `owner/repo`. */
export interface TreeInput {
  readonly owner: string
  readonly repo: string
  readonly prefix: string
  /** Only paths from this one on, in byte order; a cursor continues from there. */
  readonly startAt?: string | null
  readonly limit: number
  readonly after: string | null
}

/** Where a listing begins. */
export const lowestPath = (prefix: string, startAt: string | null | undefined): string =>
  startAt != null && Buffer.compare(Buffer.from(startAt), Buffer.from(prefix)) > 0 ? startAt : prefix

const listingOf = (repoId: string, prefix: string) => `tree:${repoId}:${prefix}`

/**
 * A page per repo, in the order requested: one statement for any number. 422 `validation.cursor` for a cursor of
 * another listing.
 */
export const filesOfRepos = async (ctx: FilesContext, query: FilesOfRepos): Promise<FilePage[]> =>
  pagesOf(query, await ctx.deps.db.query(treePage, await rangesOf(ctx, query)))

/** The same with brief entries, for who looks at no other member (`briefMembers`). */
export const briefFilesOfRepos = async (ctx: FilesContext, query: FilesOfRepos): Promise<Page<BriefFileEntry>[]> =>
  pagesOf(query, await ctx.deps.db.query(briefTreePage, await rangesOf(ctx, query)))

type FilesContext = Pick<RequestContext, 'deps'>

async function rangesOf({ deps: { db } }: FilesContext, { repoIds, prefix, limit, after }: FilesOfRepos) {
  const lower = await Promise.all(
    repoIds.map((repoId) => (after === null ? prefix : lowerBoundOf(db, repoId, listingOf(repoId, prefix), after))),
  )
  return { repoIds, lower, upper: prefixSuccessor(prefix), limit: limit + 1 }
}

function pagesOf<Row extends PagedRow & { readonly repoId: string }>(
  { repoIds, prefix, limit }: FilesOfRepos,
  rows: readonly Row[],
): ByPath<Row>[] {
  const byRepo = Map.groupBy(rows, (row) => row.repoId)
  return repoIds.map((repoId) => toPage(byRepo.get(repoId) ?? [], listingOf(repoId, prefix), limit))
}

/** The same page for one repo by name: name, visibility and page in one statement, because it is a hot read. */
export const treeByName = statement({
  name: 'files-tree-by-name',
  exact: 'hot',
  columns: pageColumns,
  params: {
    ...repoViewer,
    owner: param.text(),
    slug: param.text(),
    lower: param.text(),
    upper: param.text(),
    limit: param.int8(),
  },
  text: `select ${pageColumns.sql}
    from (select r.id from repos r join accounts o on o.id = r.owner_id where o.handle = :owner and r.slug = :slug
      and ${visibleRepo}) t
    cross join lateral (select id, path, blob_id, mime, updated_at from files
      where repo_id = t.id and to_seq is null and path >= :lower and path < :upper order by path limit :limit) f
    cross join lateral (select size, etag, sha256 from blobs where id = f.blob_id offset 0) b
    order by f.path`,
})

/**
 * getRepoTree: a page of the repo `owner/slug`, null if it is not visible to the caller. One statement; a second one if
 * the page is empty (does the repo exist?) or the cursor is of a very long path. 422 `validation.cursor`.
 */
export async function listTree(ctx: RequestContext, input: TreeInput): Promise<FilePage | null> {
  const { db } = ctx.deps
  const listing = `tree:${input.owner}/${input.repo}:${input.prefix}`
  const lower =
    input.after === null
      ? lowestPath(input.prefix, input.startAt)
      : await lowerBoundOf(db, `${input.owner}/${input.repo}`, listing, input.after)
  const rows = await db.query(treeByName, {
    ...visibleRepos(ctx.viewer),
    owner: input.owner,
    slug: input.repo,
    lower,
    upper: prefixSuccessor(input.prefix),
    limit: input.limit + 1,
  })
  if (rows.length === 0 && !(await getRepo(ctx, { owner: input.owner, slug: input.repo }, { cards: false })))
    return null
  return toPage(rows, listing, input.limit)
}

/** What cursors are made of. */
type PagedRow = Pick<TreeRow, 'path' | 'id'>

interface ByPath<Row> extends Omit<Page<Row>, 'cursorOf'> {
  readonly cursorOf: (file: Pick<TreeRow, 'path'>) => string
}

/** A page of at most `limit` rows; `rows` may have one more, which shows that another page follows. */
export function toPage<Row extends PagedRow>(rows: readonly Row[], listing: string, limit: number): ByPath<Row> {
  return {
    nodes: rows.length > limit ? rows.slice(0, limit) : rows,
    hasNextPage: rows.length > limit,
    cursorOf(file) {
      const byPath = encodeCursor(listing, [file.path])
      // A path can be twice as long as a cursor: the cursor then holds the row id, which is kept at least for the grace
      // period.
      if (byPath.length <= MAX_CURSOR_LENGTH) return byPath
      return encodeCursor(listing, [rows.find((row) => row.path === file.path)?.id ?? null])
    },
  }
}

const isPathOrRow = (part: KeyPart): part is string | number =>
  typeof part === 'string' ? pathFault(part) === null : Number.isSafeInteger(part)

/** Lower bound of a page: the prefix, or the path after its cursor. */
export async function lowerBoundOf(db: Querier, repo: string, listing: string, cursor: string): Promise<string> {
  const [key] = decodeCursor<[string | number]>(listing, cursor, [isPathOrRow])
  if (typeof key === 'string') return justAfter(key)
  const [row] = await db.query(pathOfRow, { id: key, repo })
  if (row) return justAfter(row.path)
  const detail = 'The cursor is malformed or too old: its file no longer exists. Start again without it.'
  throw invalid('validation.cursor', detail, ['after'])
}
