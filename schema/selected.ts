/** Pages of what Prisma reads: the columns and relations that a client selected, under the cursors and limits of every other listing. */
import { queryFromInfo } from '@pothos/plugin-prisma'
import type { GraphQLResolveInfo } from 'graphql'
import type { RequestContext } from '../src/operation/context.ts'
import type { IdPrefix } from '../src/platform/ids.ts'
import { decodeCursor, encodeCursor, idPart } from '../src/platform/page.ts'
import { DEFAULT_PAGE_SIZE } from '../src/platform/text-rules.ts'
import { MAX_PAGE_SIZE } from './builder.ts'
import { Connection, type ConnectionArgs, forwardArgs } from './connection.ts'

/** The columns that a read needs whatever the client selects: keys, and what it groups or pages by. */
type Always = Readonly<Record<string, true>>

/** Prisma's `select` for the rows of the list that a field resolves: `always`, and what the client asked of them. */
export function selectedRows<Columns extends Always>(
  context: RequestContext,
  info: GraphQLResolveInfo,
  always: Columns,
): { select: Columns } {
  // The type of the answer waits for concrete columns; a type with a `select` of its own answers a `select`.
  return queryFromInfo({ context, info, select: always }) as { select: Columns }
}

/** The same for the nodes of the connection that a field resolves. */
export function selectedNodes<Columns extends Always>(
  context: RequestContext,
  info: GraphQLResolveInfo,
  typeName: string,
  always: Columns,
): { select: Columns } {
  const paths = [['nodes'], ['edges', 'node']]
  return queryFromInfo({ context, info, typeName, paths, select: always }) as { select: Columns }
}

/** What `findMany` takes to read one row more than the page has. */
interface Keyset {
  readonly where: { readonly id?: { readonly lt: string } }
  readonly orderBy: { readonly id: 'desc' }
  readonly take: number
}

/**
 * A page of rows whose ids sort by time, newest first. `listing` names what stays the same from page to page, and its cursors open no other. 422 for
 * arguments out of range and for a cursor that this listing did not make.
 */
export async function newestFirst<Row extends { readonly id: string }>(
  { listing, prefix }: { readonly listing: string; readonly prefix: IdPrefix },
  args: ConnectionArgs,
  read: (keyset: Keyset) => Promise<readonly Row[]>,
): Promise<Connection<Row>> {
  const { first, after } = forwardArgs(args, MAX_PAGE_SIZE)
  const limit = first ?? DEFAULT_PAGE_SIZE
  const where = after === null ? {} : { id: { lt: decodeCursor<[string]>(listing, after, [idPart(prefix)])[0] } }
  const rows = await read({ where, orderBy: { id: 'desc' }, take: limit + 1 })
  const cursorOf = (row: Row) => encodeCursor(listing, [row.id])
  return new Connection({ nodes: rows.slice(0, limit), hasNextPage: rows.length > limit, cursorOf }, after !== null)
}
