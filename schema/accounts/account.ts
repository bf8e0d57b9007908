/** Users and orgs: one type, one handle namespace. Contract, "Accounts and orgs". */
import { builder } from '../builder.ts'
import { idIsColumn, member } from '../member.ts'
import { nodeIds } from '../node-id.ts'
import { AccountKindEnum } from './enums.ts'

/**
 * Handles are public, so accounts have no visibility check. The hot reads of repos and runs hold these four columns of
 * an owner; their fields add nothing to the selection, so an owner that came with such a row is not read again.
 */
nodeIds('user', 'Account')
nodeIds('org', 'Account')
export const Account = builder.prismaNode('Account', {
  description: 'A user or an organization.',
  id: { field: 'id', description: 'TypeID, prefix `user_` or `org_`.' },
  nullable: true,
  extensions: idIsColumn,
  select: { id: true, kind: true, handle: true, name: true },
  fields: (t) => ({
    kind: t.field({
      type: AccountKindEnum,
      description: 'User or organization.',
      resolve: member('kind', (account) => account.kind),
    }),
    handle: t.string({
      description: 'Name in URLs; users and orgs share one namespace.',
      resolve: member('handle', (account) => account.handle),
    }),
    name: t.string({
      nullable: true,
      description: 'Name to display.',
      resolve: member('name', (account) => account.name),
    }),
  }),
})
