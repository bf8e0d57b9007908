/** The audit log of an account. */
import { z } from 'zod'
import { findManagedAccount } from '../../src/accounts/find-account.ts'
import { builder } from '../builder.ts'
import { nodesOf, pageArgs } from '../connection.ts'
import { rule } from '../input-field.ts'
import { args, query } from '../root-field.ts'
import { newestFirst, selectedNodes } from '../selected.ts'

/** Reached only through the listing, which checks visibility. */
const AuditEntryType = builder.prismaObject('AuditEntry', {
  description: 'An audit record of an account; never changed or removed.',
  select: { id: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'TypeID, prefix `aud_`; sorts by time.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When.' }),
    action: t.exposeString('action', { description: 'Action as `<subject>.<verb>`, such as `repo.delete`.' }),
    actor: t.relation('actor', {
      nullable: true,
      description: "The user who acted; null for the operator's command line and background jobs.",
    }),
    credentialId: t.exposeString('credentialId', {
      nullable: true,
      description: 'Id of the key or session that was used.',
    }),
    requestId: t.exposeString('requestId', {
      nullable: true,
      description: 'Id of the request, as in its `X-Request-Id`.',
    }),
    targetId: t.exposeString('targetId', { description: 'Target of the action.' }),
    before: t.expose('before', { type: 'JSON', description: 'Changed values before the action.' }),
    after: t.expose('after', { type: 'JSON', description: 'Changed values after the action.' }),
  }),
})

const AuditConnection = builder.connectionObject(
  {
    type: AuditEntryType,
    name: 'AuditConnection',
    description: 'A page of audit entries.',
    fields: (connection) => ({
      nodes: connection.field({
        type: [AuditEntryType],
        description: 'The entries.',
        resolve: nodesOf<{ readonly id: string }>,
      }),
    }),
  },
  { name: 'AuditEdge', description: 'An audit entry and its cursor.' },
)

query('auditLog', {
  type: AuditConnection,
  description: 'Audit log of an account, newest first; only for the user or members of the org.',
  scope: 'session',
  args: args((t) => ({
    ...pageArgs(t),
    account: t.string({ required: true, ...rule(z.string().max(256)), description: 'Handle of the account.' }),
  })),
  read: async (ctx, { account, ...page }, info) => {
    const { id: accountId } = await findManagedAccount(ctx, account)
    const query = selectedNodes(ctx, info, 'AuditEntry', { id: true })
    return newestFirst({ name: 'audit', accountId, prefix: 'aud' }, page, (keyset) =>
      ctx.deps.db.prisma.auditEntry.findMany({ ...query, ...keyset }),
    )
  },
})
