/** `Endpoint.ledger`: only members of the account that is billed see an endpoint. */
import type { GraphQLResolveInfo } from 'graphql'
import { billedSessions } from '../../src/endpoints/read/endpoint-ledger.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import { LedgerConnection } from '../billing/ledger.ts'
import { builder, MAX_PAGE_SIZE } from '../builder.ts'
import { Connection, type ConnectionArgs, forwardArgs, pageArgs } from '../connection.ts'
import { args } from '../root-field.ts'
import { selectedNodes } from '../selected.ts'
import { EndpointType } from './endpoint.ts'

builder.objectField(EndpointType, 'ledger', (t) =>
  t.loadable({
    type: LedgerConnection,
    byPath: true,
    description:
      'Ledger entries: one for each session, newest session first; none before the endpoint ends. Two statements ' +
      'for any number of endpoints.',
    args: args((t) => pageArgs(t)),
    resolve: ({ id }) => id,
    load: async (ids: string[], ctx: RequestContext, given: ConnectionArgs, info: GraphQLResolveInfo) => {
      const { first, after } = forwardArgs(given, MAX_PAGE_SIZE)
      const pages = await billedSessions(ctx, { of: ids, first, after })
      const query = selectedNodes(ctx, info, 'LedgerEntry', { id: true, jobId: true })
      const entryIds = pages.flatMap(({ nodes }) => nodes.map(({ entryId }) => entryId))
      const found = await ctx.deps.db.prisma.ledgerEntry.findMany({ ...query, where: { id: { in: entryIds } } })
      const byId = new Map(found.map((entry) => [entry.id, entry]))
      return pages.map(({ nodes, hasNextPage, cursorOf }) => {
        const entries = nodes.flatMap(({ entryId }) => byId.get(entryId) ?? [])
        const page = {
          nodes: entries,
          hasNextPage,
          cursorOf: (entry: { id: string; jobId: string }) => cursorOf({ id: entry.jobId, entryId: entry.id }),
        }
        return new Connection(page, after !== null)
      })
    },
  }),
)
