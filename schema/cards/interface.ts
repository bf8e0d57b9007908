/** Output types of the embodiment interface of a robot. Spec, "EmbodimentInterface". */
import type { EmbodimentInterface as Interface } from '@hub/robot-card/interface-schema'
import { isInModel } from '@hub/robot-card/read-defaults'
import { builder } from '../builder.ts'
import { CameraSlotEnum } from './enums.ts'

/** Items of an optional list. */
type Entry<Member extends 'parts' | 'end_effectors' | 'cameras'> = NonNullable<Interface[Member]>[number]

const Actuation = builder.objectRef<Interface['actuation'][number]>('EmbodimentActuation').implement({
  description: 'A group of joints with the same actuation.',
  fields: (t) => ({
    joints: t.exposeStringList('joints', { most: 50, description: 'Of `jointOrder`.' }),
    mode: t.exposeString('mode', { description: '`position`, `velocity`, `torque`, `pd`, `effort`, or another word.' }),
    kp: t.exposeFloat('kp', { nullable: true, description: 'Proportional gain.' }),
    kd: t.exposeFloat('kd', { nullable: true, description: 'Derivative gain.' }),
    effortLimit: t.exposeFloat('effort_limit', {
      nullable: true,
      description: 'Maximum effort in N*m (hinge) or N (slide).',
    }),
    velocityLimit: t.exposeFloat('velocity_limit', {
      nullable: true,
      description: 'Maximum velocity in rad/s (hinge) or m/s (slide).',
    }),
    armature: t.exposeFloat('armature', { nullable: true, description: 'Armature: reflected rotor inertia.' }),
    frictionLoss: t.exposeFloat('friction_loss', { nullable: true, description: 'Dry friction.' }),
    delayMs: t.exposeFloat('delay_ms', {
      nullable: true,
      description: 'Delay from command to effect in milliseconds.',
    }),
  }),
})

const Action = builder.objectRef<Interface['action']>('EmbodimentAction').implement({
  description: 'How to interpret the output of a policy.',
  fields: (t) => ({
    semantics: t.exposeString('semantics', {
      description:
        '`position`, `position_offset` (default pose + scale x action), `position_delta` (current + scale x action), …',
    }),
    scale: t.exposeFloat('scale', { description: 'Default scale, for joints without one in `scalePerJoint`.' }),
    scalePerJoint: t.expose('scale_per_joint', { type: 'JSON', nullable: true, description: 'Scale by joint name.' }),
    clip: t.exposeFloat('clip', { nullable: true, description: 'Absolute limit of the action before scaling.' }),
  }),
})

const Part = builder.objectRef<Entry<'parts'>>('EmbodimentPart').implement({
  description: 'A named group of joints, such as a limb.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name, such as `left_arm`.' }),
    kind: t.exposeString('kind', { description: '`arm`, `leg`, `torso`, `head`, `hand`, `gripper`, …' }),
    joints: t.exposeStringList('joints', { most: 50, description: 'Of `jointOrder`.' }),
  }),
})

const EndEffector = builder.objectRef<Entry<'end_effectors'>>('EmbodimentEndEffector').implement({
  description: 'An end effector: a gripper, tool or hand.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Kind or name, such as `gripper`.' }),
    site: t.exposeString('site', { nullable: true, description: 'Name of a site in the model.' }),
    body: t.exposeString('body', { nullable: true, description: 'Name of a body in the model.' }),
    gripperJoint: t.exposeString('gripper_joint', {
      nullable: true,
      description: 'Name of the joint that opens and closes the gripper.',
    }),
    inMjcf: t.boolean({
      description: 'False for a real tool that is not in the model; true also where the card leaves it out.',
      resolve: isInModel,
    }),
  }),
})

const Camera = builder.objectRef<Entry<'cameras'>>('EmbodimentCamera').implement({
  description: 'A camera of the real robot.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name, such as `wrist`.' }),
    mount: t.exposeString('mount', { nullable: true, description: 'Where the camera is mounted.' }),
    width: t.exposeInt('width', { nullable: true, description: 'Pixels.' }),
    height: t.exposeInt('height', { nullable: true, description: 'Pixels.' }),
    fps: t.exposeFloat('fps', { nullable: true, description: 'Frames per second.' }),
    vlaSlot: t.expose('vla_slot', {
      type: CameraSlotEnum,
      nullable: true,
      description: 'The image input of a VLA model that the camera feeds.',
    }),
  }),
})

const CommandSpace = builder.objectRef<NonNullable<Interface['command_space']>>('EmbodimentCommandSpace').implement({
  description: 'Commands that a policy accepts.',
  fields: (t) => ({
    kind: t.exposeString('kind', {
      description: '`velocity`, `motion`, `ee_pose`, `joint_position`, `task`, `none`, …',
    }),
    ranges: t.expose('ranges', { type: 'JSON', nullable: true, description: '`[lower, upper]` by command name.' }),
  }),
})

const Safety = builder.objectRef<NonNullable<Interface['safety']>>('EmbodimentSafety').implement({
  description: 'Safety limits of the robot.',
  fields: (t) => ({
    softLimitFactor: t.exposeFloat('soft_limit_factor', {
      description: 'Fraction of the joint range that a policy may use.',
    }),
    maxTiltRad: t.exposeFloat('max_tilt_rad', { nullable: true, description: 'Radians.' }),
    safeStop: t.exposeString('safe_stop', { description: '`damp`, `hold`, `zero_torque`, `rest_pose`, …' }),
  }),
})

export const InterfaceType = builder.objectRef<Interface>('EmbodimentInterface').implement({
  description:
    'The embodiment interface: what a policy needs to know about the robot it controls. Absent members are null, ' +
    'including lists, save for `inMjcf`. `document` of the card has it as it was put and hashed.',
  fields: (t) => ({
    version: t.exposeInt('version', { description: 'Version chosen by the publisher.' }),
    base: t.exposeString('base', { description: 'Base of the robot: `fixed` or `floating`.' }),
    jointOrder: t.exposeStringList('joint_order', { most: 200, description: 'Joint names in policy index order.' }),
    defaultPose: t.expose('default_pose', {
      type: 'JSON',
      nullable: true,
      description: 'Position by joint name: rad (hinge) or m (slide).',
    }),
    defaultKeyframe: t.exposeString('default_keyframe', {
      nullable: true,
      description: "Name of the model's keyframe that holds the default pose.",
    }),
    initBaseHeightM: t.exposeFloat('init_base_height_m', {
      nullable: true,
      description: 'Initial height of the base in meters; floating base only.',
    }),
    controlRateHz: t.exposeFloat('control_rate_hz', { description: 'Control rate of the policy in Hz.' }),
    physicsDtS: t.exposeFloat('physics_dt_s', {
      nullable: true,
      description: 'Timestep of the simulation in seconds.',
    }),
    actuation: t.expose('actuation', {
      most: 50,
      type: [Actuation],
      description: 'Actuation groups; each joint is in at most one.',
    }),
    action: t.expose('action', { type: Action, description: 'How to interpret the output of a policy.' }),
    proprioception: t.exposeStringList('proprioception', {
      most: 50,
      nullable: true,
      description: 'Observation terms available on the real robot.',
    }),
    parts: t.expose('parts', {
      most: 50,
      type: [Part],
      nullable: true,
      description: 'Named groups of joints, such as limbs.',
    }),
    endEffectors: t.expose('end_effectors', {
      most: 20,
      type: [EndEffector],
      nullable: true,
      description: 'Grippers, tools, hands.',
    }),
    feet: t.exposeStringList('feet', {
      most: 20,
      nullable: true,
      description: 'Names of bodies or sites that touch the ground.',
    }),
    cameras: t.expose('cameras', {
      most: 20,
      type: [Camera],
      nullable: true,
      description: 'Cameras of the real robot.',
    }),
    commandSpace: t.expose('command_space', {
      type: CommandSpace,
      nullable: true,
      description: 'Commands that a policy accepts.',
    }),
    safety: t.expose('safety', { type: Safety, nullable: true, description: 'Safety limits of the robot.' }),
  }),
})
