/** Enum types of runs. Spec, "Enumerations". */
import { wordEnum } from '../word-enum.ts'

export const JobStatusEnum = wordEnum('JobStatus', 'Where a job stands; the last three are final.', {
  queued: 'Waits to be claimed or dispatched.',
  running: 'Is held by a runner.',
  succeeded: 'Ended well.',
  failed: 'Ended badly; `error` says how.',
  canceled: 'Was stopped on request.',
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
export const AttemptEndEnum = wordEnum('RunAttemptEnd', 'How a claim of a run ended.', {
  reported: 'Its runner ended the run.',
  swept: 'Its lease ran out.',
  reclaimed: 'Its own hosted call claimed the run again.',
  stopped: 'The hub ended it past its deadline.',
})
