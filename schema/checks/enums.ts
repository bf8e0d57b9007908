/** Enum types of checks. Spec, "Shared types"; contract, "Robot checks". */
import { wordEnum } from '../word-enum.ts'

export const RobotCheckKindEnum = wordEnum('RobotCheckKind', 'What a check is about.', {
  robot: 'The model of a robot.',
  model: 'A policy, against a robot where one is named.',
})
export const RobotCheckExecutorEnum = wordEnum('RobotCheckExecutor', 'Who executes a check.', {
  worker: "A worker on one of the owner's machines, which claims it; never billed.",
  hosted: "The hub's CPU function, billed by the second.",
})
export const RobotCheckActionEnum = wordEnum('RobotCheckAction', 'Meaning of a policy output, in joint space.', {
  position: 'Joint positions.',
  position_offset: 'Offsets from the default pose.',
  position_delta: 'Offsets from the current positions.',
  velocity: 'Joint velocities.',
  torque: 'Joint torques.',
})
export const RobotCheckNeedSeverityEnum = wordEnum('RobotCheckNeedSeverity', 'Whether a question blocks publishing.', {
  blocking: 'Publishing is refused until a person has answered.',
  advice: 'Publishing is possible; review is recommended.',
})
export const RobotCheckReportStatusEnum = wordEnum(
  'RobotCheckReportStatus',
  'Status with which a worker ends its check.',
  {
    succeeded: 'There is a verdict, good or bad.',
    failed: 'The job itself broke.',
  },
)
export const ModelEmbodimentEnum = wordEnum(
  'ModelEmbodiment',
  'Result of comparing the contract of a policy with a robot.',
  {
    match: 'The policy was made for this interface.',
    mismatch: 'The policy was made for another interface.',
    unstamped: 'The policy does not record an interface.',
  },
)
