/** The ledger of an account, and the entries of a job. */
import type { GraphQLResolveInfo } from 'graphql'
import { z } from 'zod'
import { findManagedAccount } from '../../src/accounts/find-account.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import { builder } from '../builder.ts'
import { nodesOf, pageArgs } from '../connection.ts'
import { rule } from '../input-field.ts'
import { args, query } from '../root-field.ts'
import { newestFirst, selectedNodes, selectedRows } from '../selected.ts'

/** Reached through the listing and through jobs, which check visibility. */
const LedgerEntryType = builder.prismaObject('LedgerEntry', {
  description: 'What a job cost its account; never changed or removed. Corrections are entries too.',
  select: { id: true, jobId: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'TypeID, prefix `led_`; sorts by time.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When.' }),
    jobKind: t.exposeString('jobKind', { description: '`run`, `robot_check` or `endpoint_session`.' }),
    jobId: t.exposeID('jobId', { description: 'Id of the job; it may have been deleted.' }),
    attempt: t.exposeInt('attempt', { description: 'The attempt that it is for.' }),
    kind: t.exposeString('kind', { description: 'Resource that is billed: `gpu` or `cpu`.' }),
    tier: t.exposeString('tier', { nullable: true, description: 'Hardware tier; null for CPU work.' }),
    seconds: t.float({
      select: { seconds: true },
      description: 'Billed seconds.',
      resolve: ({ seconds }) => Number(seconds),
    }),
    amountUsd: t.float({
      select: { amountUsd: true },
      description: 'Amount in US dollars.',
      resolve: ({ amountUsd }) => Number(amountUsd),
    }),
  }),
})

export const LedgerConnection = builder.connectionObject(
  {
    type: LedgerEntryType,
    name: 'LedgerConnection',
    description: 'A page of ledger entries.',
    fields: (connection) => ({
      nodes: connection.field({
        type: [LedgerEntryType],
        description: 'The entries.',
        resolve: nodesOf<{ readonly id: string; readonly jobId: string }>,
      }),
    }),
  },
  { name: 'LedgerEdge', description: 'A ledger entry and its cursor.' },
)

query('ledger', {
  type: LedgerConnection,
  description: 'Ledger of an account, newest first; only for the user or members of the org.',
  scope: 'session',
  args: args((t) => ({
    ...pageArgs(t),
    account: t.string({ required: true, ...rule(z.string().max(256)), description: 'Handle of the account.' }),
  })),
  read: async (ctx, { account, ...page }, info) => {
    const { id: accountId } = await findManagedAccount(ctx, account)
    const query = selectedNodes(ctx, info, 'LedgerEntry', { id: true, jobId: true })
    return newestFirst({ name: 'ledger', accountId, prefix: 'led' }, page, (keyset) =>
      ctx.deps.db.prisma.ledgerEntry.findMany({ ...query, ...keyset }),
    )
  },
})

/** A loadable group of a job: its entries, oldest first. One query for any number of jobs, which the caller sees. */
export const ledgerOfJob = {
  type: LedgerEntryType,
  // One for each attempt, kind and correction.
  most: 20,
  work: 20,
  byPath: true,
  group: ({ jobId }: { readonly jobId: string }) => jobId,
  load: (jobIds: string[], ctx: RequestContext, _args: unknown, info: GraphQLResolveInfo) =>
    ctx.deps.db.prisma.ledgerEntry.findMany({
      ...selectedRows(ctx, info, { id: true, jobId: true }),
      where: { jobId: { in: jobIds } },
      orderBy: { id: 'asc' },
    }),
} as const
