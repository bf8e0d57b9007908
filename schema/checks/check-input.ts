/** What a request for a check takes. Spec, "POST /v1/robot-checks". */
import { z } from 'zod'
import { filePath } from '../../src/platform/file-path.ts'
import { jsonObject } from '../../src/platform/json-object-rule.ts'
import { fullNameText, longNameText, wordText } from '../../src/platform/text-rules.ts'
import { builder } from '../builder.ts'
import { type InputFields, rule } from '../input-field.ts'
import { ControlClassEnum } from '../repos/enums.ts'
import { RobotCheckActionEnum, RobotCheckExecutorEnum, RobotCheckKindEnum } from './enums.ts'

const count = z.int().min(0)
const names = z.array(longNameText).max(1000)
const paths = z.array(filePath).max(1000)
const hfRepoText = z
  .string()
  .max(256)
  .regex(/^[\w.-]+\/[\w.-]+(?:@[\w./-]+)?$/, 'must be org/name or org/name@revision')
/** Number or null by joint name. */
const poseRule = jsonObject.refine(
  (value) =>
    Object.values(value as object).every(
      (member) => member === null || !Number.isNaN(Number.parseFloat(String(member))),
    ),
  'must hold numbers by joint name',
)

const OptionsInput = builder.inputType('RobotCheckOptionsInput', {
  description: 'Flags of the init step: what is absent is not passed, and nothing is defaulted.',
  fields: (t) => ({
    actionScale: t.float({ description: 'Scale of the action.' }),
    actionClip: t.float({ description: 'Bound on the action before it is scaled.' }),
    kp: t.float({ description: 'Proportional gain.' }),
    kd: t.float({ description: 'Derivative gain.' }),
    armature: t.float({ description: 'Reflected inertia.' }),
    frictionLoss: t.float({ description: 'Dry friction.' }),
    proprioception: t.stringList({ ...rule(names), description: 'Observation terms that the real robot can supply.' }),
    command: t.string({ ...rule(longNameText), description: 'What a policy is told to do.' }),
    defaultPose: t.field({ type: 'JSON', ...rule(poseRule), description: 'Position by joint name.' }),
    discardVisual: t.boolean({ description: 'Leave visual geometry out.' }),
  }),
})

const RefusedFileInput = builder.inputType('RobotCheckRefusedFileInput', {
  description: 'A file of a dropped zip that was not taken.',
  fields: (t) => ({
    path: t.string({ required: true, ...rule(z.string().max(4096)), description: 'Where it was.' }),
    reason: t.string({ required: true, ...rule(z.string().max(1000)), description: 'Why.' }),
  }),
})

const DropInput = builder.inputType('RobotCheckDropInput', {
  description: "The browser's own account of a dropped zip: stored as given, checked by nobody.",
  fields: (t) => ({
    filename: t.string({ ...rule(z.string().max(1024)), description: 'Name of the zip.' }),
    zipBytes: t.field({ type: 'SafeInt', ...rule(count), description: 'Its size.' }),
    files: t.field({ type: 'SafeInt', ...rule(count), description: 'Files inside.' }),
    unpackedBytes: t.field({ type: 'SafeInt', ...rule(count), description: 'What they add up to.' }),
    entryCandidates: t.stringList({ ...rule(paths), description: 'Files that may be the model.' }),
    refused: t.field({
      type: [RefusedFileInput],
      ...rule(z.array(z.unknown()).max(1000)),
      description: 'What was not taken.',
    }),
    uploadedFiles: t.field({ type: 'SafeInt', ...rule(count), description: 'Files that were sent.' }),
    uploadedBytes: t.field({ type: 'SafeInt', ...rule(count), description: 'What they add up to.' }),
    dedupedFiles: t.field({ type: 'SafeInt', ...rule(count), description: 'Files that were there already.' }),
    dedupedBytes: t.field({ type: 'SafeInt', ...rule(count), description: 'What they add up to.' }),
  }),
})

const ObsInput = builder.inputType('ModelCheckObsInput', {
  description: 'What the robot cannot know of the observations of an unstamped policy.',
  fields: (t) => ({
    blocks: t.stringList({ ...rule(names), description: 'Blocks of the observation, in their order.' }),
    scales: t.field({ type: 'JSON', ...rule(jsonObject), description: 'Scale by block.' }),
    cycleTimeS: t.float({ ...rule(z.number().positive()), description: 'Period of a gait clock.' }),
    profile: t.string({ ...rule(wordText), description: 'A named profile.' }),
    task: t.field({ type: 'JSON', ...rule(jsonObject), description: 'What the policy does.' }),
  }),
})

const ModelInput = builder.inputType('ModelCheckRequestInput', {
  description: 'Which policy, and what its manifest does not say.',
  fields: (t) => ({
    repo: t.string({
      required: true,
      ...rule(fullNameText),
      description: 'A model repo that the caller can write: the draft.',
    }),
    hfRepo: t.string({
      ...rule(hfRepoText),
      description: 'A public policy to import from elsewhere, `org/name[@revision]`; `entry` is then not used.',
    }),
    controlClass: t.field({ type: ControlClassEnum, description: 'For a policy whose manifest does not say.' }),
    obs: t.field({ type: ObsInput, description: 'For an unstamped policy.' }),
  }),
})

export const checkRequestFields = (t: InputFields) => ({
  kind: t.field({ type: RobotCheckKindEnum, required: true, description: 'What is examined.' }),
  robotRepo: t.string({
    ...rule(fullNameText),
    description: 'The robot, `owner/slug`; a model check without one only reads the policy.',
  }),
  model: t.field({ type: ModelInput, description: 'Of a model check, and required for it.' }),
  entry: t.string({
    ...rule(filePath),
    description:
      'Of a robot check the model file. Of a model check an ONNX file, or a directory with `manifest.json` and `policy/`, or with `config.json` and `model.safetensors`.',
  }),
  base: t.string({
    ...rule(wordText),
    description: '`fixed` or `floating`: required for a URDF, which does not say it.',
  }),
  controlHz: t.float({
    ...rule(z.number().positive()),
    description: 'Of a robot check: the rate that policies run at on the real robot.',
  }),
  action: t.field({ type: RobotCheckActionEnum, description: "Of a robot check: what a policy's output means." }),
  options: t.field({ type: OptionsInput, description: 'Of a robot check: flags of the init step.' }),
  executor: t.field({
    type: RobotCheckExecutorEnum,
    description: 'Absent: hosted where the deployment has it for the owner, else a worker.',
  }),
  drop: t.field({ type: DropInput, description: "The browser's own account of a dropped zip." }),
})
