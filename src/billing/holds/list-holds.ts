/**
 * listSpendHolds (spec, "GET /v1/spend/holds"): a keyset page of the holds that the caller can see, newest first. One
 * statement.
 */

import { DEFAULT_PAGE_SIZE } from '@hub/formats/text-rules'
import type { ChangedList } from '../../accounts/changes/shared-changes.ts'
import { holdViewer, visibleHolds } from '../../auth/hold-policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { decodeCursor, encodeCursor, idPart, type Page } from '../../platform/page.ts'
import { param, statement } from '../../store/statement.ts'
import { getHoldsById } from './get-hold.ts'
import { holdColumns, holdStatusSql, holdTables, type SpendHold } from './hold-shape.ts'
import type { SpendHoldStatus } from './hold-state.ts'

export interface ListHoldsInput {
  readonly status?: SpendHoldStatus | null
  readonly first?: number | null
  readonly after?: string | null
}

/** The cursor's id, or a bound above every id without a cursor, so that the condition can use an index. */
const before = `coalesce(:after::text, 'spend_z')`

/**
 * Subquery: the newest holds that the condition `seen` makes visible. There is an index for the condition in the order
 * of the page.
 */
const newest = (seen: string) => `select u.id from spend_holds u where ${seen} and u.id < ${before}
      and (:status::text is null or ${holdStatusSql} = :status) order by u.id desc limit :limit::int`

const page = statement({
  name: 'spend-holds-page',
  exact: 'client-json',
  columns: holdColumns,
  params: {
    ...holdViewer,
    status: param.text.orNull<SpendHoldStatus>(),
    after: param.text.orNull(),
    limit: param.int4(),
  },
  text: `select ${holdColumns.sql} from (select id from (
        (select mine.id from unnest(:accountIds::text[]) account (id) cross
          join lateral (${newest('u.account_id = account.id')}) mine)
        union (${newest('u.filed_by = :credentialId')}) union (${newest('u.created_by = :userId')})) seen
      order by id desc limit :limit::int) page join (${holdTables}) on u.id = page.id order by page.id desc`,
})

/** One page; 422 for a cursor of another listing. */
export async function listHolds(ctx: RequestContext, input: ListHoldsInput): Promise<Page<SpendHold>> {
  const { status = null } = input
  const name = `spend-holds:${status}`
  const [after] = input.after ? decodeCursor<[string]>(name, input.after, [idPart('spend')]) : [null]
  const limit = input.first ?? DEFAULT_PAGE_SIZE
  const rows = await ctx.deps.db.query(page, { ...visibleHolds(ctx.viewer), status, after, limit: limit + 1 })
  return {
    nodes: rows.slice(0, limit),
    hasNextPage: rows.length > limit,
    cursorOf: (hold) => encodeCursor(name, [hold.id]),
  }
}

/** How `followChanges` follows the list of an account's spend holds. A hold is never deleted, so there is no `saw`. */
export const changedHolds: ChangedList<SpendHold> = { kind: 'spend_hold', wokenBy: 'spend', byId: getHoldsById }
