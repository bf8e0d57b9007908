/** The typed GraphQL input of a card. The schema of the stored document validates its members. */
import { builder } from '../builder.ts'
import { CameraSlotEnum, RobotCheckStatusEnum } from './enums.ts'

const ActuatorInput = builder.inputType('ActuatorInput', {
  description: 'A type of actuator.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Name used by the manufacturer or in the model.' }),
    model: t.string({ description: 'Part number or model name.' }),
    count: t.int({ description: 'Number of them on the robot.' }),
    vendor: t.field({ type: 'JSON', description: 'A JSON object with any other members; kept unchanged.' }),
  }),
})

const ActuationInput = builder.inputType('EmbodimentActuationInput', {
  description: 'A group of joints with the same actuation.',
  fields: (t) => ({
    joints: t.stringList({ required: true, description: 'Names from `jointOrder`; no joint may be in two groups.' }),
    mode: t.string({ required: true, description: '`position`, `velocity`, `torque`, `pd`, `effort`.' }),
    kp: t.float({ description: 'Proportional gain.' }),
    kd: t.float({ description: 'Derivative gain.' }),
    effortLimit: t.float({ description: 'Maximum effort in N*m (hinge) or N (slide).' }),
    velocityLimit: t.float({ description: 'Maximum velocity in rad/s (hinge) or m/s (slide).' }),
    armature: t.float({ description: 'Armature: reflected rotor inertia.' }),
    frictionLoss: t.float({ description: 'Dry friction.' }),
    delayMs: t.float({ description: 'Delay from command to effect in milliseconds.' }),
  }),
})

const ActionInput = builder.inputType('EmbodimentActionInput', {
  description: 'How to interpret the output of a policy.',
  fields: (t) => ({
    semantics: t.string({
      required: true,
      description: '`position`, `position_offset`, `position_delta`, `velocity`, `torque`, `ee_pose`, `ee_delta_pose`.',
    }),
    scale: t.float({ required: true, description: 'Default scale, for joints without one in `scalePerJoint`.' }),
    scalePerJoint: t.field({ type: 'JSON', description: 'Scale by joint name.' }),
    clip: t.float({ description: 'Absolute limit of the action before scaling.' }),
  }),
})

const PartInput = builder.inputType('EmbodimentPartInput', {
  description: 'A named group of joints, such as a limb.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Name, such as `left_arm`.' }),
    kind: t.string({
      required: true,
      description: '`arm`, `leg`, `torso`, `head`, `hand`, `gripper`, `wheel`, `base`, `tail`, `other`.',
    }),
    joints: t.stringList({ required: true, description: 'Of `jointOrder`.' }),
  }),
})

const EndEffectorInput = builder.inputType('EmbodimentEndEffectorInput', {
  description: 'An end effector: a gripper, tool or hand.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Kind or name, such as `gripper`.' }),
    site: t.string({ description: 'Name of a site in the model.' }),
    body: t.string({ description: 'Name of a body in the model.' }),
    gripperJoint: t.string({ description: 'Name of a joint in the model.' }),
    inMjcf: t.boolean({ description: 'False for a real tool that is not in the model; default true.' }),
  }),
})

const CameraInput = builder.inputType('EmbodimentCameraInput', {
  description: 'A camera of the real robot.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Name, such as `wrist`.' }),
    mount: t.string({ description: 'Where the camera is mounted.' }),
    width: t.int({ description: 'Pixels.' }),
    height: t.int({ description: 'Pixels.' }),
    fps: t.float({ description: 'Frames per second.' }),
    vlaSlot: t.field({ type: CameraSlotEnum, description: 'The image input of a VLA model that the camera feeds.' }),
  }),
})

const CommandSpaceInput = builder.inputType('EmbodimentCommandSpaceInput', {
  description: 'Commands that a policy accepts.',
  fields: (t) => ({
    kind: t.string({
      required: true,
      description: '`velocity`, `motion`, `ee_pose`, `joint_position`, `task`, `none`.',
    }),
    ranges: t.field({ type: 'JSON', description: '`[lower, upper]` by command name.' }),
  }),
})

const SafetyInput = builder.inputType('EmbodimentSafetyInput', {
  description: 'Safety limits of the robot.',
  fields: (t) => ({
    softLimitFactor: t.float({
      required: true,
      description: 'Fraction of the joint range that a policy may use: above 0, at most 1.',
    }),
    maxTiltRad: t.float({ description: 'Radians.' }),
    safeStop: t.string({ required: true, description: '`damp`, `hold`, `zero_torque`, `rest_pose`.' }),
  }),
})

const InterfaceInput = builder.inputType('EmbodimentInterfaceInput', {
  description: 'The embodiment interface: what a policy needs to know about the robot it controls.',
  fields: (t) => ({
    version: t.int({ required: true, description: 'Version chosen by the publisher.' }),
    base: t.string({ required: true, description: 'Base of the robot: `fixed` or `floating`.' }),
    jointOrder: t.stringList({ required: true, description: 'Joint names in policy index order.' }),
    defaultPose: t.field({ type: 'JSON', description: 'Position by joint name: rad (hinge) or m (slide).' }),
    defaultKeyframe: t.string({ description: 'Name of a keyframe in the model.' }),
    initBaseHeightM: t.float({ description: 'Initial height of the base in meters; floating base only.' }),
    controlRateHz: t.float({ required: true, description: 'Control rate of the policy in Hz.' }),
    physicsDtS: t.float({ description: 'Timestep of the simulation in seconds.' }),
    actuation: t.field({ type: [ActuationInput], required: true, description: 'Actuation groups.' }),
    action: t.field({ type: ActionInput, required: true, description: 'How to interpret the output of a policy.' }),
    proprioception: t.stringList({ description: 'Observation terms available on the real robot.' }),
    parts: t.field({ type: [PartInput], description: 'Named groups of joints, such as limbs.' }),
    endEffectors: t.field({ type: [EndEffectorInput], description: 'Grippers, tools, hands.' }),
    feet: t.stringList({ description: 'Names of bodies or sites that touch the ground.' }),
    cameras: t.field({ type: [CameraInput], description: 'Cameras of the real robot.' }),
    commandSpace: t.field({ type: CommandSpaceInput, description: 'Commands that a policy accepts.' }),
    safety: t.field({ type: SafetyInput, description: 'Safety limits of the robot.' }),
  }),
})

const CheckInput = builder.inputType('RobotValidationCheckInput', {
  description: 'A check run by the publisher.',
  fields: (t) => ({
    code: t.string({ required: true, description: 'Stable, machine-readable.' }),
    status: t.field({ type: RobotCheckStatusEnum, required: true, description: 'The result.' }),
    message: t.string({ required: true, description: 'Explanation in one sentence.' }),
    names: t.stringList({ required: true, description: 'Joints, files or fields at fault.' }),
    hint: t.string({ description: 'Hint for the fix, in one line.' }),
    loc: t.field({ type: 'JSON', description: 'Path into the card in `/v1` names.' }),
    data: t.field({ type: 'JSON', description: 'Measured values behind the result.' }),
  }),
})

const ValidationInput = builder.inputType('RobotValidationRecordInput', {
  description: 'Last validation report of the publisher.',
  fields: (t) => ({
    engine: t.string({ required: true, description: 'Engine that ran the checks.' }),
    engineVersion: t.string({ description: 'Version of the engine.' }),
    checkedAt: t.field({ type: 'DateTime', required: true, description: 'When.' }),
    checks: t.field({ type: [CheckInput], required: true, description: 'Results of the checks.' }),
    checkId: t.string({ description: 'Id of the hosted check that produced the report.' }),
  }),
})

const ThumbnailPathsInput = builder.inputType('RobotThumbnailPathsInput', {
  description: 'Still images of the robot in its default pose, 640x480, one per theme.',
  fields: (t) => ({
    light: t.string({ required: true, description: 'Path of a file in the repo.' }),
    dark: t.string({ required: true, description: 'Path of a file in the repo.' }),
    renderKey: t.string({ description: 'SHA-256 over the inputs of the rendering.' }),
  }),
})

export const RobotCardInput = builder.inputType('RobotCardInput', {
  description: 'The whole card. Absent members are stored as absent and read as null or an empty list.',
  fields: (t) => ({
    dof: t.int({ required: true, description: 'Degrees of freedom.' }),
    actuators: t.field({ type: [ActuatorInput], description: 'Actuators of the robot.' }),
    massKg: t.float({ description: 'Kilograms.' }),
    limits: t.field({
      type: 'JSON',
      description: '`lower`, `upper`, `velocity` and `effort` by joint name, in SI units.',
    }),
    mjcfPath: t.string({ description: 'Path of the model, an MJCF or URDF file in this repo.' }),
    descriptionMd: t.string({ description: 'Markdown, at most 256 KiB.' }),
    interface: t.field({
      type: InterfaceInput,
      description: 'The embodiment interface; null stores a card without one.',
    }),
    validation: t.field({ type: ValidationInput, description: 'Last validation report of the publisher.' }),
    thumbnailPaths: t.field({ type: ThumbnailPathsInput, description: 'Still images, one per theme.' }),
  }),
})
