/** Users and orgs: one type, one handle namespace. Contract, RepoOwner and "Accounts, devices, approvals". */
import { builder } from '../builder.ts'
import { AccountKindEnum } from './enums.ts'

/**
 * Handles are public, so nobody is kept from an account. These four columns are what the hot reads of repos and runs hold of an owner as well; their
 * fields add nothing to the selection, so an owner that came with such a row is not read again.
 */
export const Account = builder.prismaNode('Account', {
  description: 'A person or an organization.',
  id: { field: 'id', description: 'TypeID, prefix `user_` or `org_`.' },
  nullable: true,
  select: { id: true, kind: true, handle: true, name: true },
  fields: (t) => ({
    kind: t.field({ type: AccountKindEnum, description: 'Which of the two.', resolve: (account) => account.kind }),
    handle: t.string({
      description: 'Its name in URLs; users and orgs share one namespace.',
      resolve: (account) => account.handle,
    }),
    name: t.string({ nullable: true, description: 'The name to show.', resolve: (account) => account.name }),
  }),
})
