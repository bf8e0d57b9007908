/** Where a page of a search of repos without an index ends. */
import type { VisibleRepos } from '../auth/policy.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import { isIndexed, lastLookedAt } from '../store/short-search.ts'
import { composed, type NamedStatement } from '../store/statement.ts'
import {
  keyset,
  order,
  params,
  predicates,
  type RepoPageQuery,
  type Values,
  valuesOf,
  where,
  withinOwner,
} from './list-sql.ts'

const endColumns = columns({ id: column.text('ended.id'), updatedAt: column.timestamptz('ended.updated_at') })

/**
 * Where a page of a search without an index ends: the newest of the repos at which what is public, or what an account
 * of the caller has, was looked at far enough. Null where the search has an index. A key that is limited to repos has
 * few.
 */
export function repoPageEnd(
  viewer: VisibleRepos,
  { filter, sort, after }: Pick<RepoPageQuery, 'filter' | 'sort' | 'after'>,
): { statement: NamedStatement<RowOf<typeof endColumns>, Values>; values: Values } | null {
  if (!filter.q || isIndexed(filter.q)) return null
  const by = order[sort]
  // What the indexes of a listing are by; all other conditions are of what is looked at.
  const { kind, ownerId, visibility } = filter
  const shared = [...predicates({ kind, ownerId }), ...(after ? [keyset[sort]] : [])]
  const stream = (conditions: readonly string[], order: string) =>
    lastLookedAt(`select r.id, r.updated_at from repos r where ${where([...conditions, ...shared])} order by ${order}`)
  const ends: string[] = []
  if (visibility !== 'private') ends.push(stream(["r.visibility = 'public'"], ownerId ? withinOwner(by) : by))
  if (visibility !== 'public' && viewer.accountIds.length > 0 && !viewer.repoIds) {
    const own = stream(["r.visibility = 'private'", 'r.owner_id = any(array[account.id])'], withinOwner(by))
    ends.push(`(select seen.* from unnest(:accountIds::text[]) account(id) cross join lateral ${own} seen)`)
  }
  if (ends.length === 0) return null
  const text = `select ${endColumns.sql} from (${ends.join(' union all ')}) ended
    order by ${by.replaceAll(/\b(id|updated_at)\b/g, 'ended.$1')} limit 1`
  const values = valuesOf(viewer, { filter, sort, after })
  return { statement: composed({ name: '', exact: 'aggregate', columns: endColumns, params, text }), values }
}
