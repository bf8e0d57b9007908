/** Enum types of robot cards and their checks. */
import { wordEnum } from '../word-enum.ts'

export const RobotCheckStatusEnum = wordEnum('RobotCheckStatus', 'Result of a check.', {
  pass: 'Passed.',
  warn: 'Possible problem; never blocks.',
  fail: 'Failed; the card cannot be stored.',
  skip: 'Did not run: an earlier check failed, there is nothing to check, or the answer needs MuJoCo itself.',
})
export const CardSourceEnum = wordEnum('RobotCardSource', 'Source of a validated card.', {
  stored: 'The repo.',
  request: 'The request.',
})
export const CameraSlotEnum = wordEnum('EmbodimentCameraSlot', 'An image input of a VLA model.', {
  base_0_rgb: 'Scene camera.',
  left_wrist_0_rgb: 'Left wrist camera.',
  right_wrist_0_rgb: 'Right wrist camera.',
  camera1: 'First camera.',
  camera2: 'Second camera.',
  camera3: 'Third camera.',
})
