/**
 * Keyset pages of Prisma entities: reads the selected columns and relations, with the same cursors and limits as every
 * other listing.
 */

import type { IdPrefix } from '@hub/formats/ids'
import { DEFAULT_PAGE_SIZE } from '@hub/formats/text-rules'
import { queryFromInfo } from '@pothos/plugin-prisma'
import type { GraphQLResolveInfo } from 'graphql'
import type { RequestContext } from '../src/operation/context.ts'
import { decodeCursor, encodeCursor, idPart } from '../src/platform/page.ts'
import { MAX_PAGE_SIZE } from './builder.ts'
import { Connection, type ConnectionArgs, forwardArgs } from './connection.ts'

/** Columns to read whatever the client selects: keys, grouping and paging columns. */
type Always = Readonly<Record<string, true>>

/** Prisma's `select` for the rows of a list field: `always` and the client's selection. */
export function selectedRows<Columns extends Always>(
  context: RequestContext,
  info: GraphQLResolveInfo,
  always: Columns,
): { select: Columns } {
  // The return type depends on concrete columns; a type with its own `select` yields a `select`.
  return queryFromInfo({ context, info, select: always }) as { select: Columns }
}

/** The same for the nodes of a connection field. */
export function selectedNodes<Columns extends Always>(
  context: RequestContext,
  info: GraphQLResolveInfo,
  typeName: string,
  always: Columns,
): { select: Columns } {
  const paths = [['nodes'], ['edges', 'node']]
  return queryFromInfo({ context, info, typeName, paths, select: always }) as { select: Columns }
}

/** Arguments of `findMany` that read one row more than the page size. */
interface Keyset {
  readonly where: { readonly accountId: { readonly in: string[] }; readonly id?: { readonly lt: string } }
  readonly orderBy: [{ readonly accountId: 'asc' }, { readonly id: 'desc' }]
  readonly take: number
}

/**
 * The rows of an account whose ids sort by time, newest first; the table has an index (account_id, id desc). The
 * account is named twice, and leads the order: where it is one value, the planner drops it from the order, and may walk
 * the rows of every account by their ids.
 */
const ofAccount = (accountId: string): Pick<Keyset, 'where' | 'orderBy'> => ({
  where: { accountId: { in: [accountId, accountId] } },
  orderBy: [{ accountId: 'asc' }, { id: 'desc' }],
})

interface Listing {
  readonly name: string
  readonly accountId: string
  readonly prefix: IdPrefix
  /** Ids at which the listing begins and ends: from the first on, and before the second. */
  readonly from?: string | null
  readonly to?: string | null
}

/**
 * A page of rows of an account, newest first. `name` is that of the listing. 422 for arguments out of range and for a
 * cursor of another listing or account. Where the listing ends is cut from the rows that were read: with a bound at
 * both ends, the planner takes the range for small, and reads and sorts all of it, of every account.
 */
export async function newestFirst<Row extends { readonly id: string }>(
  { name, accountId, prefix, from = null, to = null }: Listing,
  args: ConnectionArgs,
  read: (keyset: Keyset) => Promise<readonly Row[]>,
): Promise<Connection<Row>> {
  const { first, after } = forwardArgs(args, MAX_PAGE_SIZE)
  const limit = first ?? DEFAULT_PAGE_SIZE
  const listing = `${name}:${accountId}`
  const { where, orderBy } = ofAccount(accountId)
  const before = after === null ? to : decodeCursor<[string]>(listing, after, [idPart(prefix)])[0]
  const rows = await read({
    where: { ...where, ...(before !== null && { id: { lt: before } }) },
    orderBy,
    take: limit + 1,
  })
  const listed = from === null ? rows : rows.filter(({ id }) => id >= from)
  const cursorOf = (row: Row) => encodeCursor(listing, [row.id])
  return new Connection({ nodes: listed.slice(0, limit), hasNextPage: listed.length > limit, cursorOf }, after !== null)
}
