/** Mutations of orgs and their members. Contract, "Accounts and orgs". */

import { displayNameText, handleText } from '@hub/formats/text-rules'
import { z } from 'zod'
import { createOrg } from '../../src/accounts/accounts.ts'
import { addOrgMember, removeOrgMember } from '../../src/accounts/org-members.ts'
import { notFound } from '../../src/platform/errors.ts'
import { builder } from '../builder.ts'
import { rule } from '../input-field.ts'
import { entityMutation, input, mutation } from '../root-field.ts'
import { Account } from './account.ts'
import { OrgRoleEnum } from './enums.ts'
import { OrgMember } from './org-members.ts'

const anyHandle = z.string().max(256)

entityMutation('createOrg', {
  type: Account,
  payload: { name: 'org', description: 'The new org.' },
  description: 'Creates an org. 409 if the handle is taken.',
  scope: 'session',
  input: input('The org to create. The caller becomes its first owner.', (t) => ({
    handle: t.string({
      required: true,
      ...rule(handleText),
      description: '1 to 64 of a-z, 0-9 and inner hyphens; no user may have it.',
    }),
    name: t.string({ ...rule(displayNameText), description: 'Name to display; 1 to 200 characters.' }),
  })),
  verb: createOrg,
  read: (ctx, { id }, query) => ctx.deps.db.prisma.account.findUniqueOrThrow({ ...query, where: { id } }),
})

entityMutation('addOrgMember', {
  type: OrgMember,
  payload: { name: 'membership', description: 'The member with the new role.' },
  description:
    "Adds a user to an org, or changes a member's role; only for owners of the org. 409 if no owner would " +
    'remain, 429 for a user who is in 1,000 orgs.',
  scope: 'session',
  input: input('The org, the user and the role.', (t) => ({
    org: t.string({ required: true, ...rule(anyHandle), description: 'Handle of the org.' }),
    user: t.string({ required: true, ...rule(anyHandle), description: 'Handle of the user.' }),
    role: t.field({ type: OrgRoleEnum, description: 'Role in the org; `MEMBER` by default.' }),
  })),
  verb: addOrgMember,
  read: async (ctx, { org, user }, query) => {
    const key = { orgId: org.id, userId: user.id }
    const member = await ctx.deps.db.prisma.membership.findUnique({ ...query, where: { orgId_userId: key } })
    if (!member) throw notFound(`The member ${user.handle} of ${org.handle}`)
    return member
  },
})

const RemovedMember = builder.objectRef<Awaited<ReturnType<typeof removeOrgMember>>>('RemovedMember').implement({
  description: 'A removed member.',
  fields: (t) => ({
    org: t.expose('org', { type: Account, description: 'The org.' }),
    user: t.expose('user', { type: Account, description: 'The user.' }),
    revokedKeyIds: t.exposeStringList('revokedKeyIds', {
      most: 1000,
      description: 'API keys of the org that the user had created: they are revoked too.',
    }),
  }),
})

mutation('removeOrgMember', {
  type: RemovedMember,
  description: 'Removes a member from an org; allowed for owners and for the member. 409 for the last owner.',
  scope: 'session',
  input: input('The org and the member to remove.', (t) => ({
    org: t.string({ required: true, ...rule(anyHandle), description: 'Handle of the org.' }),
    user: t.string({ required: true, ...rule(anyHandle), description: 'Handle of the user.' }),
  })),
  verb: removeOrgMember,
})
