/** Enum types. The internal value is the spelling of `/v1` and of the database; the name is GraphQL's. */
import { builder } from './builder.ts'

function wordEnum<const Words extends readonly string[]>(name: string, description: string, words: Words) {
  const values = Object.fromEntries(words.map((word) => [word.toUpperCase(), { value: word }]))
  return builder.enumType(name, { description, values: values as Record<string, { value: Words[number] }> })
}

export const RepoKindEnum = wordEnum('RepoKind', 'What a repo holds.', ['dataset', 'model', 'robot'])
export const VisibilityEnum = wordEnum('Visibility', 'Who sees a repo: its owner alone, or everybody.', [
  'private',
  'public',
])
export const ControlClassEnum = wordEnum(
  'ControlClass',
  'How fast a policy acts; null on a meta block means undeclared.',
  ['reflex', 'skill', 'planner'],
)
export const EmbodimentCheckEnum = wordEnum(
  'EmbodimentCheck',
  "How a policy's fingerprint compares with its robot's current interface.",
  ['match', 'mismatch', 'policy_unstamped', 'robot_undeclared'],
)
export const AccountKindEnum = wordEnum(
  'AccountKind',
  'A person or an organization; both share one handle namespace.',
  ['user', 'org'],
)
export const OrgRoleEnum = wordEnum('OrgRole', "Both write the org's repos; only an owner changes members.", [
  'owner',
  'member',
])
export const KeyScopeEnum = wordEnum('KeyScope', 'A level: each includes those before it.', ['read', 'write', 'train'])
export const RepoSortEnum = wordEnum('RepoSort', 'Always descending, newest first.', ['created', 'updated'])
