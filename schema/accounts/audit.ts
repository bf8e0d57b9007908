/** The audit log of an account. */
import { z } from 'zod'
import { type AuditEntry, auditLog } from '../../src/accounts/audit-log.ts'
import { builder, MAX_PAGE_SIZE } from '../builder.ts'
import { Connection, forwardArgs, nodesOf } from '../connection.ts'
import { rule } from '../input-field.ts'
import { args, query } from '../root-field.ts'
import { Account } from './account.ts'

const AuditEntryType = builder.objectRef<AuditEntry>('AuditEntry').implement({
  description: 'Something that was done in the name of an account; never changed, never removed.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'TypeID, prefix `aud_`; sorts by time.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When.' }),
    action: t.exposeString('action', { description: 'What, as `<subject>.<verb>`: `repo.delete`.' }),
    actor: t.expose('actor', {
      type: Account,
      nullable: true,
      description: "The person behind it; null for the operator's command line and background work.",
    }),
    credentialId: t.exposeString('credentialId', { nullable: true, description: 'The key or session that was used.' }),
    requestId: t.exposeString('requestId', { nullable: true, description: 'The request, as in its `X-Request-Id`.' }),
    targetId: t.exposeString('targetId', { description: 'What it was done to.' }),
    before: t.expose('before', { type: 'JSON', description: 'What changed, as it was.' }),
    after: t.expose('after', { type: 'JSON', description: 'What changed, as it became.' }),
  }),
})

const AuditConnection = builder.connectionObject(
  {
    type: AuditEntryType,
    name: 'AuditConnection',
    description: 'A page of audit entries.',
    fields: (connection) => ({
      nodes: connection.field({ type: [AuditEntryType], description: 'The entries.', resolve: nodesOf<AuditEntry> }),
    }),
  },
  { name: 'AuditEdge', description: 'An audit entry and its cursor.' },
)

query('auditLog', {
  type: AuditConnection,
  description: 'What was done in the name of an account, newest first; for its people.',
  scope: 'session',
  args: args((t) => ({
    ...t.connectionArgs(),
    account: t.string({ required: true, ...rule(z.string().max(256)), description: 'Handle of the account.' }),
  })),
  read: async (ctx, { account, ...args }) => {
    const page = forwardArgs(args, MAX_PAGE_SIZE)
    return new Connection(await auditLog(ctx, { account, ...page }), page.after !== null)
  },
})
