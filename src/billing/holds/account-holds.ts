/** Pages of the spend holds on accounts, as far as the caller sees the holds; for any number of accounts at once. */

import { DEFAULT_PAGE_SIZE } from '@hub/formats/text-rules'
import { holdViewer, visibleHolds } from '../../auth/hold-policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { decodeCursor, encodeCursor, idPart, type Page } from '../../platform/page.ts'
import { column } from '../../store/columns.ts'
import { param, statement } from '../../store/statement.ts'
import { holdColumns, holdStatusSql, holdTables, type SpendHold } from './hold-shape.ts'
import type { SpendHoldStatus } from './hold-state.ts'
import type { ListHoldsInput } from './list-holds.ts'

const ofAccount = holdColumns.with({ of: column.text('key.id') })

/** Subquery: the newest holds that the condition `seen` makes visible, in the order of the index for that condition. */
const newest = (seen: string, order: string) => `(select u.id from spend_holds u
    where ${seen} and (:after::text is null or u.id < :after) and (:status::text is null or ${holdStatusSql} = :status)
    order by ${order} limit :limit::int)`

const page = statement({
  name: 'account-holds-page',
  exact: 'client-json',
  columns: ofAccount,
  params: {
    ...holdViewer,
    of: param.texts(),
    status: param.text.orNull<SpendHoldStatus>(),
    after: param.text.orNull(),
    limit: param.int4(),
  },
  text: `select ${ofAccount.sql} from unnest(:of::text[]) key(id) cross join lateral (select id from (
      ${newest('key.id = any(:accountIds::text[]) and u.account_id = any(array[key.id])', 'u.account_id, u.id desc')}
      union ${newest('u.filed_by = :credentialId and u.account_id = key.id', 'u.id desc')}
      union ${newest('u.created_by = :userId and u.account_id = key.id', 'u.id desc')}) seen
    order by id desc limit :limit::int) page join (${holdTables}) on u.id = page.id order by key.id, page.id desc`,
})

/**
 * The holds that would be billed to each of these accounts, newest first. One statement. Errors: 422 a cursor of
 * another listing.
 */
export async function holdsOfAccounts(
  ctx: RequestContext,
  of: readonly string[],
  { status = null, first, after: cursor }: ListHoldsInput,
): Promise<Page<SpendHold>[]> {
  const listing = `account-holds:${status}`
  const [after] = cursor ? decodeCursor<[string]>(listing, cursor, [idPart('spend')]) : [null]
  const limit = first ?? DEFAULT_PAGE_SIZE
  const values = { ...visibleHolds(ctx.viewer), of, status, after, limit: limit + 1 }
  const found = Map.groupBy(await ctx.deps.db.query(page, values), (row) => row.of)
  return of.map((id) => {
    const rows = found.get(id) ?? []
    return {
      nodes: rows.slice(0, limit),
      hasNextPage: rows.length > limit,
      cursorOf: (hold) => encodeCursor(listing, [hold.id]),
    }
  })
}
