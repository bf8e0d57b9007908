/**
 * The devices of accounts, as far as the caller sees them. Pages for any number of accounts at once.
 * Contract, "Devices".
 */

import { DEFAULT_PAGE_SIZE } from '@hub/formats/text-rules'
import { deviceVisibleSql } from '../auth/device-policy.ts'
import { billedViewer, visibleRuns } from '../auth/policy.ts'
import type { RequestContext } from '../operation/context.ts'
import { decodeCursor, encodeCursor, idPart, type Page } from '../platform/page.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'

const keyColumns = columns({ of: column.text('key.id'), id: column.text('seen.id') })

/** Which device is on the page of which account. */
export type DeviceKey = RowOf<typeof keyColumns>

const page = statement({
  name: 'account-devices-page',
  exact: 'per-parent',
  columns: keyColumns,
  params: {
    accountIds: billedViewer.accountIds,
    repoIds: billedViewer.repoIds,
    of: param.texts(),
    after: param.text.orNull(),
    limit: param.int4(),
  },
  text: `select ${keyColumns.sql} from unnest(:of::text[]) key(id) cross join lateral (select u.id from devices u
      where u.owner_id = any(array[key.id]) and u.id < coalesce(:after::text, 'dev_z') and ${deviceVisibleSql('u')}
      order by u.owner_id, u.id desc limit :limit::int) seen order by key.id, seen.id desc`,
})

const listing = 'account-devices'

/** The keys of each account's page, newest first. One statement. Errors: 422 a cursor of another listing. */
export async function devicesOfAccounts(
  ctx: RequestContext,
  of: readonly string[],
  { first, after: cursor }: { readonly first: number | null; readonly after: string | null },
): Promise<Page<DeviceKey>[]> {
  const [after] = cursor ? decodeCursor<[string]>(listing, cursor, [idPart('dev')]) : [null]
  const limit = first ?? DEFAULT_PAGE_SIZE
  const { accountIds, repoIds } = visibleRuns(ctx.viewer)
  const values = { accountIds, repoIds, of, after, limit: limit + 1 }
  const found = Map.groupBy(await ctx.deps.db.query(page, values), (key) => key.of)
  return of.map((id) => {
    const keys = found.get(id) ?? []
    return {
      nodes: keys.slice(0, limit),
      hasNextPage: keys.length > limit,
      cursorOf: (key) => encodeCursor(listing, [key.id]),
    }
  })
}
