/** listRepos (spec, "GET /v1/repos"): a keyset page of the repos that the caller can see, and the facet counts. */
import type { RequestContext } from '../context.ts'
import { invalid } from '../errors.ts'
import { isId } from '../ids.ts'
import { decodeCursor, encodeCursor, type Page } from '../page.ts'
import type { Statement } from '../store/db.ts'
import { DEFAULT_PAGE_SIZE } from '../text-rules.ts'
import { FOUND, type RepoFilter, type RepoSort, repoFacetStatement, repoPageStatement } from './list-sql.ts'
import { type Repo, toRepo, viewerParams, visibleRepo } from './repo-shape.ts'

export interface ListReposInput extends Omit<RepoFilter, 'ownerId'> {
  readonly owner?: string | null
  readonly sort?: RepoSort | null
  readonly first?: number | null
  readonly after?: string | null
}

export interface Facets {
  readonly total: number
  readonly tags: readonly { readonly value: string; readonly count: number }[]
}

const accountByHandle: Statement<{ id: string }> = {
  name: 'account-id-by-handle',
  text: 'select id from accounts where handle = $1',
}

/** The filter with the owner's id in the place of its handle; null where the handle names nobody, which is an empty page. */
async function resolveFilter(ctx: RequestContext, input: ListReposInput): Promise<RepoFilter | null> {
  if (!input.owner) return input
  const [account] = await ctx.deps.db.query(accountByHandle, [input.owner])
  return account ? { ...input, ownerId: account.id } : null
}

/** What must stay the same from page to page. */
function listingName(input: ListReposInput, sort: RepoSort): string {
  const { q, kind, owner, tag, visibility, robot, interfaceFingerprint } = input
  const filters = [
    q ?? '',
    kind ?? '',
    owner ?? '',
    tag ?? [],
    visibility ?? '',
    robot ?? '',
    interfaceFingerprint ?? '',
  ]
  return `repos:${sort}:${JSON.stringify(filters)}`
}

/** The key inside the cursor. A forged one may hold anything, so its parts are checked before they meet a cast. */
function readCursor(listing: string, sort: RepoSort, cursor: string): readonly (string | number | null)[] {
  const key = decodeCursor(listing, cursor, ['after'])
  const [first, last] = [String(key[0]), String(key.at(-1))]
  const whole = sort === 'created' ? key.length === 1 : key.length === 2 && ISO_TIME.test(first)
  if (!whole || !isId('repo', last)) throw invalid('validation.cursor', 'The cursor is malformed.', ['after'])
  return key
}

const ISO_TIME = /^\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d\.\d{3}Z$/

/** One page, newest first by `sort`; it may be shorter than asked for where cards are large. 422 for a cursor of another listing. One statement, two with an `owner` filter. */
export async function listRepos(ctx: RequestContext, input: ListReposInput): Promise<Page<Repo>> {
  const sort = input.sort ?? 'created'
  const listing = listingName(input, sort)
  const after = input.after ? readCursor(listing, sort, input.after) : null
  const limit = input.first ?? DEFAULT_PAGE_SIZE
  const cursorOf = (repo: Repo) => encodeCursor(listing, sort === 'created' ? [repo.id] : [repo.updatedAt, repo.id])
  const filter = await resolveFilter(ctx, input)
  if (!filter) return { nodes: [], hasNextPage: false, cursorOf }
  const { statement, values } = repoPageStatement(viewerParams(ctx.viewer), { filter, sort, after, limit: limit + 1 })
  const rows = await ctx.deps.db.query(statement, values)
  const nodes = rows.slice(0, limit).map(toRepo)
  return { nodes, hasNextPage: (rows[0]?.[FOUND] ?? 0) > nodes.length, cursorOf }
}

/** RepoFacets (spec): counts over every visible repo, ignoring `q`, `tag`, `visibility` and `robot`. */
export async function repoFacets(ctx: RequestContext, input: ListReposInput): Promise<Facets> {
  const filter = await resolveFilter(ctx, input)
  if (!filter) return { total: 0, tags: [] }
  const { statement, values } = repoFacetStatement(viewerParams(ctx.viewer), visibleRepo, filter)
  const [facets] = await ctx.deps.db.query(statement, values)
  return facets ?? { total: 0, tags: [] }
}
