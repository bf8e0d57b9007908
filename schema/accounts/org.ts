/** Orgs and their people. Contract, "Accounts, devices, approvals". */
import { z } from 'zod'
import { createOrg } from '../../src/accounts/accounts.ts'
import { addOrgMember, removeOrgMember } from '../../src/accounts/org-members.ts'
import { notFound } from '../../src/platform/errors.ts'
import { displayNameText, handleText } from '../../src/platform/text-rules.ts'
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
  description: 'Makes an org. 409 for a taken handle.',
  scope: 'session',
  input: input('A new org. The caller becomes its first owner.', (t) => ({
    handle: t.string({
      required: true,
      ...rule(handleText),
      description: '1 to 64 of a-z, 0-9 and inner hyphens; no user may have it.',
    }),
    name: t.string({ ...rule(displayNameText), description: 'The name to show; 1 to 200 characters.' }),
  })),
  verb: createOrg,
  read: (ctx, { id }, query) => ctx.deps.db.prisma.account.findUniqueOrThrow({ ...query, where: { id } }),
})

entityMutation('addOrgMember', {
  type: OrgMember,
  payload: { name: 'membership', description: 'The person, in their role.' },
  description:
    'Adds a person to an org, or changes their role; for owners of the org. 409 when it would leave no owner.',
  scope: 'session',
  input: input('A person and their role.', (t) => ({
    org: t.string({ required: true, ...rule(anyHandle), description: 'Handle of the org.' }),
    user: t.string({ required: true, ...rule(anyHandle), description: 'Handle of the person.' }),
    role: t.field({ type: OrgRoleEnum, description: 'Member by default.' }),
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
  description: 'A person who is no longer in an org.',
  fields: (t) => ({
    org: t.expose('org', { type: Account, description: 'The org.' }),
    user: t.expose('user', { type: Account, description: 'The person.' }),
    revokedKeyIds: t.exposeStringList('revokedKeyIds', {
      description: "The org's keys that the person had made: they ended too.",
    }),
  }),
})

mutation('removeOrgMember', {
  type: RemovedMember,
  description: 'Removes a person from an org: by an owner, or by the person. 409 for the last owner.',
  scope: 'session',
  input: input('Who leaves which org.', (t) => ({
    org: t.string({ required: true, ...rule(anyHandle), description: 'Handle of the org.' }),
    user: t.string({ required: true, ...rule(anyHandle), description: 'Handle of the person.' }),
  })),
  verb: removeOrgMember,
})
