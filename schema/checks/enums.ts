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
