/** Enum types of checks. Spec, "Shared types"; contract, "Vocabularies". */
import { wordEnum } from '../word-enum.ts'

export const RobotCheckKindEnum = wordEnum('RobotCheckKind', 'What a check examines.', {
  robot: 'The model of a robot.',
  model: 'A policy, against a robot where one is named.',
})
export const RobotCheckExecutorEnum = wordEnum('RobotCheckExecutor', 'Who executes a check.', {
  worker: "A worker on one of the owner's machines, which claims it; never billed.",
  hosted: "The hub's CPU function, billed by the second.",
})
export const RobotCheckActionEnum = wordEnum('RobotCheckAction', "What a policy's output means, in joint space.", {
  position: 'Joint positions.',
  position_offset: 'Offsets from the default pose.',
  position_delta: 'Offsets from the current positions.',
  velocity: 'Joint velocities.',
  torque: 'Joint torques.',
})
export const RobotCheckNeedSeverityEnum = wordEnum(
  'RobotCheckNeedSeverity',
  'Whether a draft can do without an answer.',
  {
    blocking: 'It cannot be published before a person has answered.',
    advice: 'Worth a look.',
  },
)
export const RobotCheckReportStatusEnum = wordEnum(
  'RobotCheckReportStatus',
  'How a worker says that its check ended.',
  {
    succeeded: 'It came to a verdict, good or bad.',
    failed: 'The job itself broke.',
  },
)
export const ModelEmbodimentEnum = wordEnum('ModelEmbodiment', 'How the contract of a policy compares with a robot.', {
  match: 'It is made for this interface.',
  mismatch: 'It is made for another one.',
  unstamped: 'It does not say.',
})
