/** Enum types of repos and their meta blocks. */
import { wordEnum } from '../word-enum.ts'

export const RepoKindEnum = wordEnum('RepoKind', 'The kind of a repo; never changes.', {
  dataset: 'Recorded episodes.',
  model: 'Policy weights.',
  robot: 'A robot description: card, model file and meshes.',
})
export const VisibilityEnum = wordEnum('Visibility', 'Who can see a repo.', {
  private: 'Only the owner: the user, or the members of the org.',
  public: 'Everyone, also anonymous callers.',
})
export const ControlClassEnum = wordEnum(
  'ControlClass',
  'At which level a policy controls the robot; null on a meta block means undeclared.',
  {
    reflex: 'Runs at the rate of the control loop; never served over a network.',
    skill: 'Executes one movement or task at a time.',
    planner: 'Plans which task comes next.',
  },
)
export const EmbodimentCheckEnum = wordEnum(
  'EmbodimentCheck',
  "How a policy's fingerprint compares with its robot's current interface.",
  {
    match: 'The fingerprints are equal.',
    mismatch: 'The fingerprints differ: the policy was made for another interface.',
    policy_unstamped: 'The policy has no fingerprint.',
    robot_undeclared: 'The robot declares no interface.',
  },
)
export const RepoSortEnum = wordEnum('RepoSort', 'Sort key of a repo listing; always descending, newest first.', {
  created: 'By creation time.',
  updated: 'By the last change to settings, meta, card or files.',
})
