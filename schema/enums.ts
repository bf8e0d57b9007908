/** Enum types. The internal value is the spelling of `/v1` and of the database; the name is GraphQL's. */
import { builder } from './builder.ts'

function wordEnum<const Words extends Readonly<Record<string, string>>>(
  name: string,
  description: string,
  words: Words,
) {
  const values = Object.fromEntries(
    Object.entries(words).map(([word, about]) => [word.toUpperCase(), { value: word, description: about }]),
  )
  return builder.enumType(name, { description, values: values as Record<string, { value: keyof Words & string }> })
}

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
export const RepoSortEnum = wordEnum('RepoSort', 'Always descending, newest first.', {
  created: 'By creation.',
  updated: 'By the last change of settings, meta, card or files.',
})
export const RobotCheckStatusEnum = wordEnum('RobotCheckStatus', 'What a check found.', {
  pass: 'Nothing is wrong.',
  warn: 'Worth a look; never blocks.',
  fail: 'Blocks the storing of a card.',
  skip: 'Could not run: an earlier check failed, there is nothing to check, or it cannot be decided without running MuJoCo.',
})
export const CardSourceEnum = wordEnum('RobotCardSource', 'Where a validated card came from.', {
  stored: 'The repo.',
  request: 'The request.',
})
export const CameraSlotEnum = wordEnum('EmbodimentCameraSlot', 'An image slot of a VLA model.', {
  base_0_rgb: 'The view of the scene.',
  left_wrist_0_rgb: 'The left wrist.',
  right_wrist_0_rgb: 'The right wrist.',
  camera1: 'The first camera.',
  camera2: 'The second camera.',
  camera3: 'The third camera.',
})
export const JobStatusEnum = wordEnum('JobStatus', 'Where a job stands; the last three are final.', {
  queued: 'Waits to be claimed or dispatched.',
  running: 'Is held by a runner.',
  succeeded: 'Ended well.',
  failed: 'Ended badly; `error` says how.',
  canceled: 'Was stopped on request.',
})
export const RunExecutorEnum = wordEnum('RunExecutor', 'Who executes a run, or serves an endpoint.', {
  worker: "A runner on one of the owner's machines, which claims it; never billed.",
  hosted: "The hub's GPU backend, billed by the second.",
})
export const RunKindEnum = wordEnum('RunKind', 'Where a run comes from.', {
  cloud: 'Submitted here, and executed.',
  external: 'Trained elsewhere and imported: artifacts, never a live log.',
  orchestration: 'A planner run: no trainer, no GPU.',
})
export const CellVerdictEnum = wordEnum('CellVerdict', 'What a gate found; `PASS` and `FAIL` alone are counted.', {
  PASS: 'It holds.',
  FAIL: 'It does not.',
  ERROR: 'It could not be measured.',
  SKIP: 'It was left out.',
})
export const DisplayNameSourceEnum = wordEnum('DisplayNameSource', 'Where the name to show comes from.', {
  output_repo: 'The model repo that the run made.',
  run_name: '`hyperparams.run_name`.',
  recipe: "Template, robot and the end of the run's id.",
})
export const DeclaredStatusEnum = wordEnum(
  'RunConfigDeclaredStatus',
  'What became of a key that a run said it would change.',
  {
    moved: 'It has another value than in the parent.',
    not_moved: 'It has the same value as in the parent.',
    cannot_compare: 'One of the two does not say its value.',
  },
)
export const VideoModeEnum = wordEnum(
  'VideoMode',
  'What is rendered of a gate; measurements and verdict are the same.',
  {
    full: 'Three views of 640x480 as mp4 a cell.',
    poster: 'One still of 320x240 a cell.',
    none: 'Physics only.',
  },
)
export const TrainingMethodEnum = wordEnum('TrainingMethod', 'What is trained.', {
  lora: 'Low-rank adapters beside frozen weights.',
  full: 'Every weight.',
  rl: 'A policy, by reinforcement in simulation.',
})
export const RecommendationBasisEnum = wordEnum(
  'RecommendationBasis',
  'Where the memory and throughput of a recommendation are from.',
  {
    modelled: "The arithmetic over the registry's reference figures.",
    measured: 'Succeeded runs of the same template and batch size.',
  },
)
export const RunReportStatusEnum = wordEnum('RunReportStatus', 'How a runner says that its run ended.', {
  succeeded: 'It made what it was to make.',
  failed: 'It could not.',
  canceled: 'It was asked to stop, and did.',
})
export const LogStreamEnum = wordEnum('LogStream', 'Who wrote a line of a log.', {
  stdout: 'The runner.',
  stderr: 'The hub: a notice.',
})
