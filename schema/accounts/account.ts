/** Users and orgs: one type, one handle namespace. Contract, RepoOwner and "Accounts, devices, approvals". */
import { accountsById, membersOfOrgs, type OrgMember } from '../../src/accounts/read-accounts.ts'
import type { AccountRef } from '../../src/operation/context.ts'
import { builder } from '../builder.ts'
import { AccountKindEnum, OrgRoleEnum } from './enums.ts'

export const Account = builder.objectRef<AccountRef>('Account')

const OrgMemberType = builder.objectRef<OrgMember>('OrgMember').implement({
  description: 'A person in an org.',
  fields: (t) => ({
    user: t.expose('user', { type: Account, description: 'The person.' }),
    role: t.expose('role', { type: OrgRoleEnum, description: 'What the person may do.' }),
    since: t.expose('since', { type: 'DateTime', description: 'When the person joined.' }),
  }),
})

builder.node(Account, {
  description: 'A person or an organization.',
  id: { resolve: (account) => account.id, description: 'TypeID, prefix `user_` or `org_`.' },
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'handle' in value,
  loadMany: (ids, ctx) => accountsById(ctx.deps.db, ids),
  fields: (t) => ({
    kind: t.expose('kind', { type: AccountKindEnum, description: 'Which of the two.' }),
    handle: t.exposeString('handle', { description: 'Its name in URLs; users and orgs share one namespace.' }),
    name: t.exposeString('name', { nullable: true, description: 'The name to show.' }),
    members: t.loadableGroup({
      type: OrgMemberType,
      description: 'Of an org: its people, oldest first. Empty on a user, and for those who are no members themselves.',
      load: (ids: string[], ctx) => membersOfOrgs(ctx, ids),
      group: (member) => member.orgId,
      resolve: (account) => account.id,
    }),
  }),
})
