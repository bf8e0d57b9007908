/** Enum types of repos and their meta blocks. */
import { wordEnum } from '../word-enum.ts'

export const RepoKindEnum = wordEnum('RepoKind', 'What a repo holds.', {
  dataset: 'Recorded episodes.',
  model: 'The weights of a policy.',
  robot: "A robot's description: its card, model and meshes.",
})
export const VisibilityEnum = wordEnum('Visibility', 'Who sees a repo: its owner alone, or everybody.', {
  private: 'Its owner, and the people of an org that owns it.',
  public: 'Everybody, also without a credential.',
})
export const ControlClassEnum = wordEnum(
  'ControlClass',
  'How fast a policy acts; null on a meta block means undeclared.',
  {
    reflex: 'At the rate of the control loop: never served over a network.',
    skill: 'One movement or task at a time.',
    planner: 'Chooses what comes next.',
  },
)
export const EmbodimentCheckEnum = wordEnum(
  'EmbodimentCheck',
  "How a policy's fingerprint compares with its robot's current interface.",
  {
    match: 'They are the same.',
    mismatch: 'They differ: the policy was made for another interface.',
    policy_unstamped: 'The policy has no fingerprint.',
    robot_undeclared: 'The robot declares no interface.',
  },
)
export const RepoSortEnum = wordEnum('RepoSort', 'Always descending, newest first.', {
  created: 'By creation.',
  updated: 'By the last change of settings, meta, card or files.',
})
