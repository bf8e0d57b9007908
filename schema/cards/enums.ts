/** Enum types of robot cards and their checks. */
import { wordEnum } from '../word-enum.ts'

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
