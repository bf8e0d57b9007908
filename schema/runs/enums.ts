/** Enum types of runs. Spec, "Enumerations". */
import { wordEnum } from '../word-enum.ts'

export const JobStatusEnum = wordEnum('JobStatus', 'Status of a job; the last three are final.', {
  queued: 'Waiting to be claimed or dispatched.',
  running: 'Held by a runner.',
  succeeded: 'Ended successfully.',
  failed: 'Ended with an error; see `error`.',
  canceled: 'Stopped on request.',
})
export const RunKindEnum = wordEnum('RunKind', 'Way in which a run was created.', {
  cloud: 'Submitted to this hub and executed.',
  external: 'Trained elsewhere and imported: artifacts, never a live log.',
  orchestration: 'A planner run: no trainer, no GPU.',
})
export const CellVerdictEnum = wordEnum('CellVerdict', 'Result of a gate; only `PASS` and `FAIL` are counted.', {
  PASS: 'Passed.',
  FAIL: 'Failed.',
  ERROR: 'Could not be measured.',
  SKIP: 'Skipped.',
})
export const DisplayNameSourceEnum = wordEnum('DisplayNameSource', 'Source of the display name.', {
  name: 'The name that the run was given.',
  output_repo: 'The model repo that the run published.',
  run_name: '`hyperparams.run_name`.',
  recipe: "Template, robot and the end of the run's id.",
})
export const DeclaredStatusEnum = wordEnum('RunConfigDeclaredStatus', 'Outcome of a declared change.', {
  moved: "The value differs from the parent's.",
  not_moved: "The value equals the parent's.",
  cannot_compare: 'One of the two has no value.',
})
export const RecommendationBasisEnum = wordEnum(
  'RecommendationBasis',
  'Source of the memory and throughput of a recommendation.',
  {
    modelled: "Calculated from the registry's reference figures.",
    measured: 'Measured on succeeded runs of the same template and batch size.',
  },
)
export const MeasuredByEnum = wordEnum('MeasuredBy', 'Whose measurements a recommendation uses.', {
  account: 'Reported by succeeded runs of the account that is billed; they count for its plans alone.',
  hub: 'Observed by the hub on succeeded hosted runs of any account, within plausible bounds.',
})
export const RunReportStatusEnum = wordEnum('RunReportStatus', "Final status in a runner's report.", {
  succeeded: 'The run succeeded.',
  failed: 'The run failed.',
  canceled: 'The run stopped after cancellation was requested.',
})
export const LogStreamEnum = wordEnum('LogStream', 'Source of a log line.', {
  stdout: 'The runner.',
  stderr: 'A notice from the hub.',
})
export const AttemptEndEnum = wordEnum('RunAttemptEnd', 'End of an attempt.', {
  reported: 'Its runner reported the end of the run.',
  swept: 'Its lease expired.',
  reclaimed: 'Its own hosted call claimed the run again.',
  stopped: 'The hub ended it past its deadline.',
})
