/** The embodiment interface of a robot, in `/v1` names: the input of its fingerprint. Spec, "EmbodimentInterface". */

import { wordText } from '@hub/formats/text-rules'
import { z } from 'zod'
import { count, integer, jointMap, nameText, number } from './schema-parts.ts'

const cameraSlots = ['base_0_rgb', 'left_wrist_0_rgb', 'right_wrist_0_rgb', 'camera1', 'camera2', 'camera3'] as const

const actuation = z.strictObject({
  joints: z.array(nameText).describe('Names from `joint_order`; no joint may be in two groups.'),
  mode: wordText.describe('`position`, `velocity`, `torque`, `pd`, `effort`.'),
  kp: number.nullish(),
  kd: number.nullish(),
  effort_limit: number.nullish(),
  velocity_limit: number.nullish(),
  armature: number.nullish(),
  friction_loss: number.nullish(),
  delay_ms: number.nullish(),
})

const action = z.strictObject({
  semantics: wordText.describe(
    '`position`, `position_offset`, `position_delta`, `velocity`, `torque`, `ee_pose`, `ee_delta_pose`.',
  ),
  scale: number,
  scale_per_joint: jointMap(number).nullish().describe('Overrides `scale` for joints of `joint_order`.'),
  clip: number.nullish(),
})

const part = z.strictObject({
  name: nameText,
  kind: wordText.describe('`arm`, `leg`, `torso`, `head`, `hand`, `gripper`, `wheel`, `base`, `tail`, `other`.'),
  joints: z.array(nameText).describe('Of `joint_order`.'),
})

const endEffector = z.strictObject({
  name: nameText,
  site: nameText.nullish().describe('Name of a site in the model.'),
  body: nameText.nullish().describe('Name of a body in the model.'),
  gripper_joint: nameText.nullish().describe('Name of a joint in the model.'),
  in_mjcf: z.boolean().nullish().describe('False for a real tool that is not in the model; default true.'),
})

const camera = z.strictObject({
  name: nameText,
  mount: z.string().max(1024).nullish(),
  width: count.nullish().describe('Pixels.'),
  height: count.nullish().describe('Pixels.'),
  fps: number.positive().nullish(),
  vla_slot: z.enum(cameraSlots).nullish().describe('The image input of a VLA model that the camera feeds.'),
})

const commandSpace = z.strictObject({
  kind: wordText.describe('`velocity`, `motion`, `ee_pose`, `joint_position`, `task`, `none`.'),
  ranges: z
    .record(nameText, z.tuple([number, number]))
    .nullish()
    .describe('`[lower, upper]` by command name.'),
})

const safety = z.strictObject({
  soft_limit_factor: number.describe('Fraction of the joint range that a policy may use.'),
  max_tilt_rad: number.nullish(),
  safe_stop: wordText.describe('`damp`, `hold`, `zero_torque`, `rest_pose`.'),
})

export const interfaceSchema = z.strictObject({
  version: integer,
  base: wordText.describe('Base of the robot: `fixed` or `floating`.'),
  joint_order: z.array(nameText).describe('Joint names in policy index order: hinge and slide joints of the model.'),
  default_pose: jointMap(number).nullish().describe('Position by joint name: rad (hinge) or m (slide).'),
  default_keyframe: nameText.nullish().describe("Name of the model's keyframe that holds the default pose."),
  init_base_height_m: number.nullish().describe('Floating base only.'),
  control_rate_hz: number.positive(),
  physics_dt_s: number.positive().nullish(),
  actuation: z.array(actuation),
  action,
  proprioception: z.array(wordText).nullish().describe('Observation terms available on the real robot.'),
  parts: z.array(part).nullish(),
  end_effectors: z.array(endEffector).nullish(),
  feet: z.array(nameText).nullish().describe('Names of bodies or sites that touch the ground.'),
  cameras: z.array(camera).nullish(),
  command_space: commandSpace.nullish(),
  safety: safety.nullish(),
})

export type EmbodimentInterface = z.output<typeof interfaceSchema>
