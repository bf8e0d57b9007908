/** The audit log of an account. */
import { DEFAULT_PAGE_SIZE } from '@hub/formats/text-rules'
import { z } from 'zod'
import { MAX_ACTIVITY, recentActivity } from '../../src/accounts/activity.ts'
import { auditFilter, auditWhere, byTarget } from '../../src/accounts/audit-filter.ts'
import { findManagedAccount } from '../../src/accounts/find-account.ts'
import { builder } from '../builder.ts'
import { nodesOf, pageArgs } from '../connection.ts'
import { rule } from '../input-field.ts'
import { args, query } from '../root-field.ts'
import { newestFirst, selectedNodes, selectedRows } from '../selected.ts'

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

const nameRule = rule(z.string().min(1).max(256))

query('auditLog', {
  type: AuditConnection,
  description:
    'Audit log of an account, newest first; only for the user or members of the org. Filters ' + 'narrow it together.',
  scope: 'session',
  args: args((t) => ({
    ...pageArgs(t),
    account: t.string({ required: true, ...rule(z.string().max(256)), description: 'Handle of the account.' }),
    action: t.string({ ...nameRule, description: 'Only this action, such as `repo.delete`.' }),
    actor: t.string({ ...nameRule, description: 'Only of the user with this handle. 404 if there is none.' }),
    targetId: t.id({ ...nameRule, description: 'Only with this target: the id of a repo, run, key and so on.' }),
    from: t.field({
      type: 'DateTime',
      description: 'Only made at this time and later, by the clock of the hub; `at` is by that of the database.',
    }),
    to: t.field({ type: 'DateTime', description: 'Only made before this time.' }),
  })),
  read: async (ctx, { account, first, after, ...input }, info) => {
    const { id: accountId } = await findManagedAccount(ctx, account)
    const filter = await auditFilter(ctx, input)
    const { from, to } = filter
    const isNarrowed = Object.values(filter).some((value) => value !== null)
    const name = isNarrowed ? `audit:${JSON.stringify(filter)}` : 'audit'
    const query = selectedNodes(ctx, info, 'AuditEntry', { id: true })
    return newestFirst({ name, accountId, prefix: 'aud', from, to }, { first, after }, ({ where, ...keyset }) =>
      ctx.deps.db.prisma.auditEntry.findMany({
        ...query,
        ...keyset,
        where: { ...where, ...auditWhere(accountId, filter) },
        ...(filter.targetId !== null && { orderBy: [...byTarget] }),
      }),
    )
  },
})

query('activity', {
  type: [AuditEntryType],
  most: MAX_ACTIVITY,
  description:
    "What people did lately in the caller's account and orgs, newest first: the changes worth telling among the " +
    'newest 300 entries of each audit log.',
  scope: 'session',
  args: args((t) => ({
    first: t.int({
      ...rule(z.int().min(1).max(MAX_ACTIVITY)),
      description: `Number, 1 to ${MAX_ACTIVITY}; 20 by default.`,
    }),
  })),
  read: async (ctx, { first }, info) => {
    const ids = await recentActivity(ctx, first ?? DEFAULT_PAGE_SIZE)
    return ctx.deps.db.prisma.auditEntry.findMany({
      ...selectedRows(ctx, info, { id: true }),
      where: { id: { in: ids } },
      orderBy: { id: 'desc' },
    })
  },
})
