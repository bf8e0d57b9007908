/** A card as GraphQL writes it: typed, camelCase. What a member must hold is said once, by the schema of the document that it becomes. */
import { builder } from '../builder.ts'
import { CameraSlotEnum, RobotCheckStatusEnum } from './enums.ts'

const ActuatorInput = builder.inputType('ActuatorInput', {
  description: 'A kind of drive.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'How the maker or the model calls it.' }),
    model: t.string({ description: 'Part number or type.' }),
    count: t.int({ description: 'How many of it the robot has.' }),
    vendor: t.field({ type: 'JSON', description: 'An object of any other members; kept as they are.' }),
  }),
})

const ActuationInput = builder.inputType('EmbodimentActuationInput', {
  description: 'Joints that are driven alike.',
  fields: (t) => ({
    joints: t.stringList({ required: true, description: 'Of `jointOrder`; none in two groups.' }),
    mode: t.string({ required: true, description: '`position`, `velocity`, `torque`, `pd`, `effort`.' }),
    kp: t.float({ description: 'Proportional gain.' }),
    kd: t.float({ description: 'Derivative gain.' }),
    effortLimit: t.float({ description: 'N*m, or N.' }),
    velocityLimit: t.float({ description: 'Rad/s, or m/s.' }),
    armature: t.float({ description: 'Reflected inertia.' }),
    frictionLoss: t.float({ description: 'Dry friction.' }),
    delayMs: t.float({ description: 'From command to effect, in milliseconds.' }),
  }),
})

const ActionInput = builder.inputType('EmbodimentActionInput', {
  description: "What a policy's output means.",
  fields: (t) => ({
    semantics: t.string({
      required: true,
      description: '`position`, `position_offset`, `position_delta`, `velocity`, `torque`, `ee_pose`, `ee_delta_pose`.',
    }),
    scale: t.float({ required: true, description: 'Of every joint that has none of its own.' }),
    scalePerJoint: t.field({ type: 'JSON', description: 'Number by joint name.' }),
    clip: t.float({ description: 'Bound on the action before it is scaled.' }),
  }),
})

const PartInput = builder.inputType('EmbodimentPartInput', {
  description: 'A limb or the like.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Such as `left_arm`.' }),
    kind: t.string({
      required: true,
      description: '`arm`, `leg`, `torso`, `head`, `hand`, `gripper`, `wheel`, `base`, `tail`, `other`.',
    }),
    joints: t.stringList({ required: true, description: 'Of `jointOrder`.' }),
  }),
})

const EndEffectorInput = builder.inputType('EmbodimentEndEffectorInput', {
  description: 'What the robot acts on things with.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Such as `gripper`.' }),
    site: t.string({ description: 'A site of the model.' }),
    body: t.string({ description: 'A body of the model.' }),
    gripperJoint: t.string({ description: 'A joint of the model.' }),
    inMjcf: t.boolean({ description: 'False for a real tool that the model lacks; absent, it is in the model.' }),
  }),
})

const CameraInput = builder.inputType('EmbodimentCameraInput', {
  description: 'A camera of the real robot.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Such as `wrist`.' }),
    mount: t.string({ description: 'What it sits on.' }),
    width: t.int({ description: 'Pixels.' }),
    height: t.int({ description: 'Pixels.' }),
    fps: t.float({ description: 'Frames per second.' }),
    vlaSlot: t.field({ type: CameraSlotEnum, description: 'The image slot of a VLA model that it feeds.' }),
  }),
})

const CommandSpaceInput = builder.inputType('EmbodimentCommandSpaceInput', {
  description: 'What a policy is told to do.',
  fields: (t) => ({
    kind: t.string({
      required: true,
      description: '`velocity`, `motion`, `ee_pose`, `joint_position`, `task`, `none`.',
    }),
    ranges: t.field({ type: 'JSON', description: '`[lower, upper]` by command.' }),
  }),
})

const SafetyInput = builder.inputType('EmbodimentSafetyInput', {
  description: 'What keeps the robot whole.',
  fields: (t) => ({
    softLimitFactor: t.float({ required: true, description: 'Above 0, at most 1.' }),
    maxTiltRad: t.float({ description: 'Radians.' }),
    safeStop: t.string({ required: true, description: '`damp`, `hold`, `zero_torque`, `rest_pose`.' }),
  }),
})

const InterfaceInput = builder.inputType('EmbodimentInterfaceInput', {
  description: 'What a policy needs to know of the robot that it drives.',
  fields: (t) => ({
    version: t.int({ required: true, description: "The publisher's own." }),
    base: t.string({ required: true, description: '`fixed` or `floating`.' }),
    jointOrder: t.stringList({ required: true, description: 'Joint names in policy index order.' }),
    defaultPose: t.field({ type: 'JSON', description: 'Rad, or m, by joint name.' }),
    defaultKeyframe: t.string({ description: 'A keyframe of the model.' }),
    initBaseHeightM: t.float({ description: 'Meters; floating base only.' }),
    controlRateHz: t.float({ required: true, description: 'How often a policy acts.' }),
    physicsDtS: t.float({ description: 'Step of the simulation, in seconds.' }),
    actuation: t.field({ type: [ActuationInput], required: true, description: 'How joints are driven.' }),
    action: t.field({ type: ActionInput, required: true, description: "What a policy's output means." }),
    proprioception: t.stringList({ description: 'Observation terms that the real robot supplies.' }),
    parts: t.field({ type: [PartInput], description: 'Limbs and the like.' }),
    endEffectors: t.field({ type: [EndEffectorInput], description: 'Grippers, tools, hands.' }),
    feet: t.stringList({ description: 'Bodies or sites that touch the ground.' }),
    cameras: t.field({ type: [CameraInput], description: 'Cameras of the real robot.' }),
    commandSpace: t.field({ type: CommandSpaceInput, description: 'What a policy is told to do.' }),
    safety: t.field({ type: SafetyInput, description: 'What keeps the robot whole.' }),
  }),
})

const CheckInput = builder.inputType('RobotValidationCheckInput', {
  description: 'One check that the publisher ran.',
  fields: (t) => ({
    code: t.string({ required: true, description: 'Stable, machine-readable.' }),
    status: t.field({ type: RobotCheckStatusEnum, required: true, description: 'The verdict.' }),
    message: t.string({ required: true, description: 'One sentence.' }),
    names: t.stringList({ required: true, description: 'Offending joints, files or fields.' }),
    hint: t.string({ description: 'One-line fix.' }),
    loc: t.field({ type: 'JSON', description: 'Path into the card, in the names of `/v1`.' }),
    data: t.field({ type: 'JSON', description: 'The numbers behind the verdict.' }),
  }),
})

const ValidationInput = builder.inputType('RobotValidationRecordInput', {
  description: "The publisher's own last report.",
  fields: (t) => ({
    engine: t.string({ required: true, description: 'What ran the checks.' }),
    engineVersion: t.string({ description: 'Its version.' }),
    checkedAt: t.field({ type: 'DateTime', required: true, description: 'When.' }),
    checks: t.field({ type: [CheckInput], required: true, description: 'What it found.' }),
    checkId: t.string({ description: 'The hosted check that made it.' }),
  }),
})

const ThumbnailPathsInput = builder.inputType('RobotThumbnailPathsInput', {
  description: 'Stills of the robot at its default pose, 640x480, one a theme.',
  fields: (t) => ({
    light: t.string({ required: true, description: 'A file of the repo.' }),
    dark: t.string({ required: true, description: 'A file of the repo.' }),
    renderKey: t.string({ description: 'SHA-256 over what the stills were rendered from.' }),
  }),
})

export const RobotCardInput = builder.inputType('RobotCardInput', {
  description: 'The whole card. What is left out is stored as left out, and read as null or an empty list.',
  fields: (t) => ({
    dof: t.int({ required: true, description: 'Degrees of freedom.' }),
    actuators: t.field({ type: [ActuatorInput], description: 'Its drives.' }),
    massKg: t.float({ description: 'Kilograms.' }),
    limits: t.field({
      type: 'JSON',
      description: '`lower`, `upper`, `velocity` and `effort` by joint name, in SI units.',
    }),
    mjcfPath: t.string({ description: 'The model: an MJCF or URDF file of this repo.' }),
    descriptionMd: t.string({ description: 'Markdown, at most 256 KiB.' }),
    interface: t.field({ type: InterfaceInput, description: 'Null stores a card without one.' }),
    validation: t.field({ type: ValidationInput, description: "The publisher's own last report." }),
    thumbnailPaths: t.field({ type: ThumbnailPathsInput, description: 'Stills, one a theme.' }),
  }),
})
