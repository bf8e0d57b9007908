/**
 * Pages of what belongs to endpoints, devices or approvals, newest first: for any number of these at once, in one
 * statement.
 */

import type { IdPrefix } from '@hub/formats/ids'
import { DEFAULT_PAGE_SIZE } from '@hub/formats/text-rules'
import type { RequestContext } from '../operation/context.ts'
import { decodeCursor, encodeCursor, idPart, type Page } from '../platform/page.ts'
import { type Columns, column } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'

/**
 * A kind of children: their table under `alias`, what their columns are read from, and the condition on them that uses
 * `:status`.
 */
interface Children<Row> {
  readonly name: string
  readonly prefix: IdPrefix
  readonly table: string
  readonly alias: string
  readonly columns: Columns<Row>
  /** Joins to the page `alias`. */
  readonly joins: string
  readonly statusSql: string
}

export interface ChildPages {
  /** What the children are of. */
  readonly of: readonly string[]
  readonly status?: string | null | undefined
  readonly first?: number | null | undefined
  readonly after?: string | null | undefined
}

/** The column that names the parent. */
type Parent = 'endpoint_id' | 'device_id' | 'approval_id'

/**
 * Reads such pages, in the order of all columns of the parent's index: after an equality the planner may walk all
 * children by their ids. A viewer of the parent sees its children, so only visible parents may be asked for. 422
 * `validation.cursor` for the cursor of another listing.
 */
export function childPages<Row extends { readonly id: string }>(children: Children<Row>, parent: Parent) {
  const { name, prefix, table, alias, joins, statusSql } = children
  const selected = children.columns.with({ of: column.text('key.id') })
  const pages = statement({
    name: `${name}-by-${parent}`,
    exact: 'per-parent',
    columns: selected,
    params: {
      of: param.texts(),
      status: param.text.orNull(),
      after: param.text.orNull(),
      limit: param.int4(),
    },
    text: `select ${selected.sql} from unnest(:of::text[]) key(id) cross join lateral (select * from ${table} c
        where c.${parent} = any(array[key.id]) and c.id < coalesce(:after::text, '${prefix}_z')
          and (:status::text is null or ${statusSql} = :status)
        order by c.${parent}, c.id desc limit :limit::int) ${alias} ${joins}
      order by key.id, ${alias}.id desc`,
  })
  return async (ctx: RequestContext, { of, status = null, first, after: cursor }: ChildPages): Promise<Page<Row>[]> => {
    const listingOf = (id: string) => `${name}:${id}:${status ?? ''}`
    const from = cursor ? of.map((id) => decodeCursor<[string]>(listingOf(id), cursor, [idPart(prefix)])[0]) : []
    const limit = first ?? DEFAULT_PAGE_SIZE
    const rows = await ctx.deps.db.query(pages, { of, status, after: from[0] ?? null, limit: limit + 1 })
    const byParent = Map.groupBy(rows, (row) => row.of)
    return of.map((id) => {
      const found: readonly Row[] = byParent.get(id) ?? []
      return {
        nodes: found.slice(0, limit),
        hasNextPage: found.length > limit,
        cursorOf: (row) => encodeCursor(listingOf(id), [row.id]),
      }
    })
  }
}
