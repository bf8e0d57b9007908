/** The devices that the caller sees, newest first. Contract, "Devices". */

import { DEFAULT_PAGE_SIZE } from '@hub/formats/text-rules'
import { deviceVisibleSql } from '../auth/device-policy.ts'
import { billedViewer, visibleRuns } from '../auth/policy.ts'
import type { RequestContext } from '../operation/context.ts'
import { decodeCursor, encodeCursor, idPart, type Page } from '../platform/page.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'

const keyColumns = columns({ id: column.text('seen.id') })

/** Which device is on the page. */
export type ListedDevice = RowOf<typeof keyColumns>

export interface ListDevicesInput {
  /** Handle: only devices of this account. */
  readonly owner?: string | null
  readonly first?: number | null
  readonly after?: string | null
}

/** One ordered scan for each account of the caller. */
const page = statement({
  name: 'devices-page',
  exact: 'per-parent',
  columns: keyColumns,
  params: {
    accountIds: billedViewer.accountIds,
    repoIds: billedViewer.repoIds,
    owner: param.text.orNull(),
    after: param.text.orNull(),
    limit: param.int4(),
  },
  text: `select ${keyColumns.sql} from unnest(:accountIds::text[]) account(id) cross
    join lateral (select u.id from devices u
      where u.owner_id = any(array[account.id]) and u.id < coalesce(:after::text, 'dev_z') and ${deviceVisibleSql('u')}
      order by u.owner_id, u.id desc limit :limit::int) seen
    where :owner::text is null or account.id = (select a.id from accounts a where a.handle = :owner)
    order by seen.id desc limit :limit::int`,
})

/**
 * The keys of one page; empty for an owner that does not exist or is not an account of the caller. One statement.
 * Errors: 422 a cursor of another listing.
 */
export async function listDevices(ctx: RequestContext, input: ListDevicesInput): Promise<Page<ListedDevice>> {
  const { owner = null } = input
  const listing = `devices:${owner ?? ''}`
  const [after] = input.after ? decodeCursor<[string]>(listing, input.after, [idPart('dev')]) : [null]
  const limit = input.first ?? DEFAULT_PAGE_SIZE
  const { accountIds, repoIds } = visibleRuns(ctx.viewer)
  const keys = await ctx.deps.db.query(page, { accountIds, repoIds, owner, after, limit: limit + 1 })
  return {
    nodes: keys.slice(0, limit),
    hasNextPage: keys.length > limit,
    cursorOf: (key) => encodeCursor(listing, [key.id]),
  }
}
