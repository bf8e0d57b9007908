/** Enum types of accounts, orgs and keys. */
import { wordEnum } from '../word-enum.ts'

export const AccountKindEnum = wordEnum(
  'AccountKind',
  'A person or an organization; both share one handle namespace.',
  { user: 'A person.', org: 'An organization.' },
)
export const OrgRoleEnum = wordEnum('OrgRole', "Both write the org's repos; only an owner changes members.", {
  owner: 'May change who is in the org.',
  member: 'May write its repos.',
})
export const KeyScopeEnum = wordEnum('KeyScope', 'A level: each includes those before it.', {
  read: 'Reads what its account sees.',
  write: 'Makes and changes repos and files.',
  train: 'Starts, claims and reports runs and endpoints.',
})
