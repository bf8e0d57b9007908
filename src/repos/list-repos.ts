/** listRepos (spec, "GET /v1/repos"): a keyset page of the repos that the caller can see, and the facet counts. */

import { DEFAULT_PAGE_SIZE } from '@hub/formats/text-rules'
import { visibleRepos } from '../auth/policy.ts'
import type { RequestContext } from '../operation/context.ts'
import { decodeCursor, encodeCursor, idPart, isTimePart, type Page } from '../platform/page.ts'
import { column, columns } from '../store/columns.ts'
import { type NamedStatement, param, statement } from '../store/statement.ts'
import { repoFacetStatement } from './facets-sql.ts'
import { type RepoFilter, type RepoSort, repoPageStatement } from './list-sql.ts'
import { repoPageEnd } from './page-end.ts'
import { type Repo, toPlainRepo, toRepo, type WithCards } from './repo-shape.ts'

export interface ListReposInput extends Omit<RepoFilter, 'ownerId'> {
  readonly owner?: string | null
  readonly sort?: RepoSort | null
  readonly first?: number | null
  readonly after?: string | null
}

/** What is read of each repo. */
interface ReadParts extends WithCards {
  /** Only what nothing is computed for: the caller looks at no other member (`plainMembers`). */
  readonly isPlain?: boolean
}

export interface FacetBucket {
  readonly value: string
  readonly count: number
}

export interface Facets {
  readonly total: number
  readonly tags: readonly FacetBucket[]
  readonly licenses: readonly FacetBucket[]
}

const idColumn = columns({ id: column.text('id') })

const accountByHandle = statement({
  name: 'account-id-by-handle',
  exact: 'each-request',
  columns: idColumn,
  params: { handle: param.text() },
  text: `select ${idColumn.sql} from accounts where handle = :handle`,
})

/**
 * The filter with the owner's id instead of the handle; null if no account has the handle, which gives an empty page.
 */
async function resolveFilter(ctx: RequestContext, input: ListReposInput): Promise<RepoFilter | null> {
  if (!input.owner) return input
  const [account] = await ctx.deps.db.query(accountByHandle, { handle: input.owner })
  return account ? { ...input, ownerId: account.id } : null
}

/** The name of the listing in its cursors, which must not change between pages. */
function listingName(input: ListReposInput, sort: RepoSort): string {
  const { q, kind, owner, tag, license, label, visibility, robot, interfaceFingerprint } = input
  const filters = [
    q ?? '',
    kind ?? '',
    owner ?? '',
    tag ?? [],
    visibility ?? '',
    robot ?? '',
    interfaceFingerprint ?? '',
    ...(license || label?.length ? [license ?? '', label ?? []] : []),
  ]
  return `repos:${sort}:${JSON.stringify(filters)}`
}

const isRepoId = idPart('repo')

function readCursor(listing: string, sort: RepoSort, cursor: string): readonly string[] {
  return sort === 'created'
    ? decodeCursor<[string]>(listing, cursor, [isRepoId])
    : decodeCursor<[string, string]>(listing, cursor, [isTimePart, isRepoId])
}

/**
 * One page, newest first by `sort`; with large cards it may be shorter than requested, and with a search that has no
 * index (`short-search.ts`). 422 for a cursor of another listing. One statement, one more with an `owner` filter, and
 * with such a search.
 */
export async function listRepos(
  ctx: RequestContext,
  input: ListReposInput,
  { cards, isPlain }: ReadParts,
): Promise<Page<Repo>> {
  const sort = input.sort ?? 'created'
  const listing = listingName(input, sort)
  const after = input.after ? readCursor(listing, sort, input.after) : null
  const limit = input.first ?? DEFAULT_PAGE_SIZE
  const keyOf = (repo: Pick<Repo, 'id' | 'updatedAt'>) => (sort === 'created' ? [repo.id] : [repo.updatedAt, repo.id])
  const cursorOf = (repo: Repo) => encodeCursor(listing, keyOf(repo))
  const filter = await resolveFilter(ctx, input)
  if (!filter) return { nodes: [], hasNextPage: false, cursorOf }
  const viewer = visibleRepos(ctx.viewer)
  const end = repoPageEnd(viewer, { filter, sort, after })
  const [last] = end ? await ctx.deps.db.query(end.statement, end.values) : []
  const until = last ? keyOf(last) : null
  const page = { filter, sort, after, until, limit: limit + 1 } as const
  const { found, repos } = isPlain
    ? await reposOf(ctx, repoPageStatement(viewer, { ...page, cards: false, isPlain }), toPlainRepo)
    : await reposOf(ctx, repoPageStatement(viewer, { ...page, cards }), toRepo)
  const nodes = repos.slice(0, limit)
  if (found > nodes.length) return { nodes, hasNextPage: true, cursorOf }
  return { nodes, hasNextPage: until !== null, cursorOf, endsAfter: until ? encodeCursor(listing, until) : undefined }
}

async function reposOf<Row extends { readonly found: number }, Values>(
  ctx: RequestContext,
  { statement, values }: { readonly statement: NamedStatement<Row, Values>; readonly values: NoInfer<Values> },
  toNode: (row: Row) => Repo,
): Promise<{ readonly found: number; readonly repos: readonly Repo[] }> {
  const rows = await ctx.deps.db.query(statement, values)
  return { found: rows[0]?.found ?? 0, repos: rows.map((row) => toNode(row)) }
}

const noFacets: Facets = { total: 0, tags: [], licenses: [] }

/** RepoFacets (spec): counts over every visible repo, ignoring `q`, `tag`, `license`, `label`, `visibility` and `robot`. */
export async function repoFacets(ctx: RequestContext, input: ListReposInput): Promise<Facets> {
  const filter = await resolveFilter(ctx, input)
  if (!filter) return noFacets
  const { statement, values } = repoFacetStatement(visibleRepos(ctx.viewer), filter)
  const [facets] = await ctx.deps.db.query(statement, values)
  return facets ?? noFacets
}
