/** Pages of the repos of accounts, as far as the caller sees the repos; for any number of accounts at once. */

import { DEFAULT_PAGE_SIZE } from '@hub/formats/text-rules'
import { repoViewer, visibleRepos } from '../auth/policy.ts'
import type { RequestContext } from '../operation/context.ts'
import { decodeCursor, encodeCursor, idPart, isTimePart, type Page } from '../platform/page.ts'
import { column } from '../store/columns.ts'
import { composed, param } from '../store/statement.ts'
import type { RepoSort } from './list-sql.ts'
import { type Repo, type RepoKind, repoColumns, toRepo, type Visibility, visibleRepo } from './repo-shape.ts'

export interface AccountReposInput {
  readonly kind?: RepoKind | null
  readonly visibility?: Visibility | null
  readonly sort?: RepoSort | null
  readonly first?: number | null
  readonly after?: string | null
}

const ownedColumns = repoColumns.with({ of: column.text('key.id') })

const orders = {
  created: { by: 'id desc', after: ':afterId::text is null or r.id < :afterId' },
  updated: {
    by: 'updated_at desc, id desc',
    after: ':afterId::text is null or (r.updated_at, r.id) < (:afterTime::timestamptz, :afterId)',
  },
} as const

/**
 * Orders by all columns of the index of an owner's repos. With only an equality on the owner, the planner may take any
 * index on ids and read through the repos of other owners.
 */
const pageBy = (sort: RepoSort) => {
  const { by, after } = orders[sort]
  const ofPage = (alias: string) => by.replaceAll(/\b(id|updated_at)\b/g, `${alias}.$1`)
  return composed({
    name: `account-repos-page-${sort}`,
    exact: 'per-parent',
    columns: ownedColumns,
    params: {
      ...repoViewer,
      of: param.texts(),
      kind: param.text.orNull<RepoKind>(),
      visibility: param.text.orNull<Visibility>(),
      afterTime: param.timestamptz.orNull(),
      afterId: param.text.orNull(),
      limit: param.int4(),
    },
    text: `select ${ownedColumns.sql} from unnest(:of::text[]) key(id) cross
      join lateral (select r.id, r.updated_at from repos r
        where r.owner_id = any(array[key.id]) and (${after}) and ${visibleRepo}
          and (:kind::text is null or r.kind = :kind::"RepoKind")
          and (:visibility::text is null or r.visibility = :visibility::"Visibility")
        order by r.owner_id, ${ofPage('r')} limit :limit::int) page
      join repos r on r.id = page.id join accounts o on o.id = r.owner_id order by key.id, ${ofPage('page')}`,
  })
}

const pages = { created: pageBy('created'), updated: pageBy('updated') }

const isRepoId = idPart('repo')

/**
 * The position in a cursor: the update time (only for pages by update) and the id of the last repo of the previous
 * page.
 */
function keyOf(listing: string, sort: RepoSort, cursor: string | null | undefined): [string | null, string | null] {
  if (!cursor) return [null, null]
  if (sort === 'created') return [null, decodeCursor<[string]>(listing, cursor, [isRepoId])[0]]
  return decodeCursor<[string, string]>(listing, cursor, [isTimePart, isRepoId])
}

/**
 * The repos of each of these accounts that the caller sees, newest first by `sort`. One statement. Errors: 422 a cursor
 * of another listing.
 */
export async function reposOfAccounts(
  ctx: RequestContext,
  of: readonly string[],
  { kind = null, visibility = null, sort: order, first, after }: AccountReposInput,
): Promise<Page<Repo>[]> {
  const sort = order ?? 'created'
  const listing = `account-repos:${JSON.stringify([kind, visibility, sort])}`
  const [afterTime, afterId] = keyOf(listing, sort, after)
  const limit = first ?? DEFAULT_PAGE_SIZE
  const values = { ...visibleRepos(ctx.viewer), of, kind, visibility, afterTime, afterId, limit: limit + 1 }
  const found = Map.groupBy(await ctx.deps.db.query(pages[sort], values), (row) => row.of)
  return of.map((id) => {
    const rows = found.get(id) ?? []
    return {
      nodes: rows.slice(0, limit).map((row) => toRepo(row)),
      hasNextPage: rows.length > limit,
      cursorOf: (repo) => encodeCursor(listing, sort === 'created' ? [repo.id] : [repo.updatedAt, repo.id]),
    }
  })
}
