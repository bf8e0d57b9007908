/** Enum types of accounts, orgs and keys. */
import { wordEnum } from '../word-enum.ts'

export const AccountKindEnum = wordEnum('AccountKind', 'Kind of account; users and orgs share one handle namespace.', {
  user: 'A user.',
  org: 'An organization.',
})
export const OrgRoleEnum = wordEnum(
  'OrgRole',
  'Role in an org: both can write its repos, only owners change members.',
  {
    owner: 'Can add and remove members.',
    member: 'Can write the repos of the org.',
  },
)
export const KeyScopeEnum = wordEnum('KeyScope', 'Scope of a credential; each includes those before it.', {
  read: 'Reads everything that its account can see.',
  write: 'Creates and changes repos and files.',
  train: 'Starts, claims and reports on runs and endpoints.',
})
