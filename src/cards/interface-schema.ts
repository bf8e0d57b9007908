/** The embodiment interface of a robot, in the names of `/v1`: what is hashed into its fingerprint. Spec, "EmbodimentInterface". */
import { z } from 'zod'
import { wordText } from '../platform/text-rules.ts'
import { count, integer, jointMap, nameText, number } from './schema-parts.ts'

const cameraSlots = ['base_0_rgb', 'left_wrist_0_rgb', 'right_wrist_0_rgb', 'camera1', 'camera2', 'camera3'] as const

const actuation = z.strictObject({
  joints: z.array(nameText).describe('Of `joint_order`; no joint is driven by two groups.'),
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
  site: nameText.nullish().describe('A site of the model.'),
  body: nameText.nullish().describe('A body of the model.'),
  gripper_joint: nameText.nullish().describe('A joint of the model.'),
  in_mjcf: z.boolean().nullish().describe('False for a real tool that the model lacks; absent, it is in the model.'),
})

const camera = z.strictObject({
  name: nameText,
  mount: z.string().max(1024).nullish(),
  width: count.nullish().describe('Pixels.'),
  height: count.nullish().describe('Pixels.'),
  fps: number.positive().nullish(),
  vla_slot: z.enum(cameraSlots).nullish().describe('The image slot of a VLA model that it feeds.'),
})

const commandSpace = z.strictObject({
  kind: wordText.describe('`velocity`, `motion`, `ee_pose`, `joint_position`, `task`, `none`.'),
  ranges: z
    .record(nameText, z.tuple([number, number]))
    .nullish()
    .describe('`[lower, upper]` by command.'),
})

const safety = z.strictObject({
  soft_limit_factor: number.describe('Of the joint range that a policy may use.'),
  max_tilt_rad: number.nullish(),
  safe_stop: wordText.describe('`damp`, `hold`, `zero_torque`, `rest_pose`.'),
})

export const interfaceSchema = z.strictObject({
  version: integer,
  base: wordText.describe('`fixed` or `floating`.'),
  joint_order: z.array(nameText).describe('Joint names in policy index order: hinges and slides of the model.'),
  default_pose: jointMap(number).nullish().describe('Rad, or m, by joint name.'),
  default_keyframe: nameText.nullish().describe('The keyframe of the model that holds the default pose.'),
  init_base_height_m: number.nullish().describe('Floating base only.'),
  control_rate_hz: number.positive(),
  physics_dt_s: number.positive().nullish(),
  actuation: z.array(actuation),
  action,
  proprioception: z.array(wordText).nullish().describe('Observation terms that the real robot can supply.'),
  parts: z.array(part).nullish(),
  end_effectors: z.array(endEffector).nullish(),
  feet: z.array(nameText).nullish().describe('Bodies or sites of the model that touch the ground.'),
  cameras: z.array(camera).nullish(),
  command_space: commandSpace.nullish(),
  safety: safety.nullish(),
})

export type EmbodimentInterface = z.output<typeof interfaceSchema>
