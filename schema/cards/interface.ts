/** The embodiment interface of a robot, as it is read. Spec, "EmbodimentInterface". */
import type { EmbodimentInterface as Interface } from '../../src/cards/interface-schema.ts'
import { builder } from '../builder.ts'
import { CameraSlotEnum } from './enums.ts'

/** What a list holds that may be left out. */
type Entry<Member extends 'parts' | 'end_effectors' | 'cameras'> = NonNullable<Interface[Member]>[number]

const Actuation = builder.objectRef<Interface['actuation'][number]>('EmbodimentActuation').implement({
  description: 'Joints that are driven alike.',
  fields: (t) => ({
    joints: t.exposeStringList('joints', { description: 'Of `jointOrder`.' }),
    mode: t.exposeString('mode', { description: '`position`, `velocity`, `torque`, `pd`, `effort`, or another word.' }),
    kp: t.exposeFloat('kp', { nullable: true, description: 'Proportional gain.' }),
    kd: t.exposeFloat('kd', { nullable: true, description: 'Derivative gain.' }),
    effortLimit: t.exposeFloat('effort_limit', { nullable: true, description: 'N*m, or N.' }),
    velocityLimit: t.exposeFloat('velocity_limit', { nullable: true, description: 'Rad/s, or m/s.' }),
    armature: t.exposeFloat('armature', { nullable: true, description: 'Reflected inertia.' }),
    frictionLoss: t.exposeFloat('friction_loss', { nullable: true, description: 'Dry friction.' }),
    delayMs: t.exposeFloat('delay_ms', { nullable: true, description: 'From command to effect, in milliseconds.' }),
  }),
})

const Action = builder.objectRef<Interface['action']>('EmbodimentAction').implement({
  description: "What a policy's output means.",
  fields: (t) => ({
    semantics: t.exposeString('semantics', {
      description:
        '`position`, `position_offset` (default pose + scale x action), `position_delta` (current + scale x action), …',
    }),
    scale: t.exposeFloat('scale', { description: 'Of every joint that has none of its own.' }),
    scalePerJoint: t.expose('scale_per_joint', { type: 'JSON', nullable: true, description: 'Number by joint name.' }),
    clip: t.exposeFloat('clip', { nullable: true, description: 'Bound on the action before it is scaled.' }),
  }),
})

const Part = builder.objectRef<Entry<'parts'>>('EmbodimentPart').implement({
  description: 'A limb or the like.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Such as `left_arm`.' }),
    kind: t.exposeString('kind', { description: '`arm`, `leg`, `torso`, `head`, `hand`, `gripper`, …' }),
    joints: t.exposeStringList('joints', { description: 'Of `jointOrder`.' }),
  }),
})

const EndEffector = builder.objectRef<Entry<'end_effectors'>>('EmbodimentEndEffector').implement({
  description: 'What the robot acts on things with.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Such as `gripper`.' }),
    site: t.exposeString('site', { nullable: true, description: 'A site of the model.' }),
    body: t.exposeString('body', { nullable: true, description: 'A body of the model.' }),
    gripperJoint: t.exposeString('gripper_joint', {
      nullable: true,
      description: 'The joint that opens and closes it.',
    }),
    inMjcf: t.exposeBoolean('in_mjcf', {
      nullable: true,
      description: 'False for a real tool that the model lacks; null counts as true.',
    }),
  }),
})

const Camera = builder.objectRef<Entry<'cameras'>>('EmbodimentCamera').implement({
  description: 'A camera of the real robot.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Such as `wrist`.' }),
    mount: t.exposeString('mount', { nullable: true, description: 'What it sits on.' }),
    width: t.exposeInt('width', { nullable: true, description: 'Pixels.' }),
    height: t.exposeInt('height', { nullable: true, description: 'Pixels.' }),
    fps: t.exposeFloat('fps', { nullable: true, description: 'Frames per second.' }),
    vlaSlot: t.expose('vla_slot', {
      type: CameraSlotEnum,
      nullable: true,
      description: 'The image slot of a VLA model that it feeds.',
    }),
  }),
})

const CommandSpace = builder.objectRef<NonNullable<Interface['command_space']>>('EmbodimentCommandSpace').implement({
  description: 'What a policy is told to do.',
  fields: (t) => ({
    kind: t.exposeString('kind', {
      description: '`velocity`, `motion`, `ee_pose`, `joint_position`, `task`, `none`, …',
    }),
    ranges: t.expose('ranges', { type: 'JSON', nullable: true, description: '`[lower, upper]` by command.' }),
  }),
})

const Safety = builder.objectRef<NonNullable<Interface['safety']>>('EmbodimentSafety').implement({
  description: 'What keeps the robot whole.',
  fields: (t) => ({
    softLimitFactor: t.exposeFloat('soft_limit_factor', { description: 'Of the joint range that a policy may use.' }),
    maxTiltRad: t.exposeFloat('max_tilt_rad', { nullable: true, description: 'Radians.' }),
    safeStop: t.exposeString('safe_stop', { description: '`damp`, `hold`, `zero_torque`, `rest_pose`, …' }),
  }),
})

export const InterfaceType = builder.objectRef<Interface>('EmbodimentInterface').implement({
  description:
    'What a policy needs to know of the robot that it drives. What was left out is null, lists too, so that its fingerprint can be computed from what is read.',
  fields: (t) => ({
    version: t.exposeInt('version', { description: "The publisher's own." }),
    base: t.exposeString('base', { description: '`fixed` or `floating`.' }),
    jointOrder: t.exposeStringList('joint_order', { description: 'Joint names in policy index order.' }),
    defaultPose: t.expose('default_pose', { type: 'JSON', nullable: true, description: 'Rad, or m, by joint name.' }),
    defaultKeyframe: t.exposeString('default_keyframe', {
      nullable: true,
      description: 'The keyframe of the model that holds the default pose.',
    }),
    initBaseHeightM: t.exposeFloat('init_base_height_m', {
      nullable: true,
      description: 'Meters; floating base only.',
    }),
    controlRateHz: t.exposeFloat('control_rate_hz', { description: 'How often a policy acts.' }),
    physicsDtS: t.exposeFloat('physics_dt_s', { nullable: true, description: 'Step of the simulation, in seconds.' }),
    actuation: t.expose('actuation', { type: [Actuation], description: 'How joints are driven; each by one group.' }),
    action: t.expose('action', { type: Action, description: "What a policy's output means." }),
    proprioception: t.exposeStringList('proprioception', {
      nullable: true,
      description: 'Observation terms that the real robot supplies.',
    }),
    parts: t.expose('parts', { type: [Part], nullable: true, description: 'Limbs and the like.' }),
    endEffectors: t.expose('end_effectors', {
      type: [EndEffector],
      nullable: true,
      description: 'Grippers, tools, hands.',
    }),
    feet: t.exposeStringList('feet', { nullable: true, description: 'Bodies or sites that touch the ground.' }),
    cameras: t.expose('cameras', { type: [Camera], nullable: true, description: 'Cameras of the real robot.' }),
    commandSpace: t.expose('command_space', {
      type: CommandSpace,
      nullable: true,
      description: 'What a policy is told to do.',
    }),
    safety: t.expose('safety', { type: Safety, nullable: true, description: 'What keeps the robot whole.' }),
  }),
})
