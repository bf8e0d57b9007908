/** Fields of work on a data set that a worker has for a lease: checks of data sets and films of episodes. */
import { personFor } from '../../src/accounts/person-for.ts'
import type { AccountRef, RequestContext } from '../../src/operation/context.ts'
import type { Leased } from '../../src/work/leased-row.ts'
import { Account } from '../accounts/account.ts'
import type { builder } from '../builder.ts'
import { JobStatusEnum } from '../runs/enums.ts'

interface Shown extends Leased {
  readonly ownerId: string
  readonly seq: number
  readonly requestedAt: string
  readonly requester: AccountRef | null
  readonly finishedAt: string | null
  readonly error: string | null
}

/** Descriptions, where the kinds differ. */
interface Words {
  readonly seq: string
  readonly status: string
  readonly requestedAt: string
  readonly requester: string
  readonly error: string
}

/** What a worker wrote is for the owner and its members. */
const forMembers = ({ ownerId }: Shown, { viewer }: RequestContext, text: string | null) =>
  viewer.kind !== 'anonymous' && viewer.accountIds.includes(ownerId) ? text : null

export const leasedFields = <Row extends Shown>(
  t: PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, Row>,
  words: Words,
) => ({
  repo: t.string({ description: 'Full name of the data set.', resolve: ({ repo }) => repo }),
  seq: t.int({ description: words.seq, resolve: ({ seq }) => seq }),
  status: t.field({ type: JobStatusEnum, description: words.status, resolve: ({ status }) => status }),
  attempt: t.int({
    description: 'Of the last claim, from 1; 0 before the first one.',
    resolve: ({ attempt }) => attempt,
  }),
  worker: t.string({
    nullable: true,
    description: 'Name of its last worker; null if the caller is neither the owner nor one of its members.',
    resolve: (row, _args, ctx) => forMembers(row, ctx, row.worker),
  }),
  requestedAt: t.field({
    type: 'DateTime',
    description: words.requestedAt,
    resolve: ({ requestedAt }) => requestedAt,
  }),
  requester: t.field({
    type: Account,
    nullable: true,
    description: words.requester,
    resolve: ({ ownerId, requester }, _args, ctx) => personFor(ctx.viewer, ownerId, requester),
  }),
  startedAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'When a worker took it.',
    resolve: ({ startedAt }) => startedAt,
  }),
  finishedAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'When it ended.',
    resolve: ({ finishedAt }) => finishedAt,
  }),
  error: t.string({
    nullable: true,
    description: words.error,
    resolve: (row, _args, ctx) => forMembers(row, ctx, row.error),
  }),
})
