/** Input of `createRobotCheck`. Spec, "POST /v1/robot-checks". */

import { filePath } from '@hub/formats/file-path-rule'
import { fullNameText, hfRepoText, longNameText, wordText } from '@hub/formats/text-rules'
import { z } from 'zod'
import { jsonObject } from '../../src/platform/json-object-rule.ts'
import { builder } from '../builder.ts'
import { type InputFields, rule } from '../input-field.ts'
import { ControlClassEnum } from '../repos/enums.ts'
import { RobotCheckActionEnum, RobotCheckExecutorEnum, RobotCheckKindEnum } from './enums.ts'

const count = z.int().min(0)
const names = z.array(longNameText).max(1000)
const paths = z.array(filePath).max(1000)
/** Number or null by joint name. */
const poseRule = jsonObject.refine(
  (value) =>
    Object.values(value as object).every(
      (member) => member === null || !Number.isNaN(Number.parseFloat(String(member))),
    ),
  'must hold numbers by joint name',
)

const OptionsInput = builder.inputType('RobotCheckOptionsInput', {
  description:
    'Flags of the robot-init step. An absent flag is not passed; the hub sets no defaults. Spec, ' +
    '`RobotCheckJobOptions`.',
  fields: (t) => ({
    actionScale: t.float({ description: 'Factor from a policy output to an action.' }),
    actionClip: t.float({ description: 'Absolute limit of a policy output, applied before `actionScale`.' }),
    kp: t.float({ description: 'Proportional gain of the actuators: N·m/rad, or N/m for a slide joint.' }),
    kd: t.float({ description: 'Derivative gain of the actuators: N·m·s/rad, or N·s/m for a slide joint.' }),
    armature: t.float({ description: 'Reflected inertia of the rotors: kg·m², or kg for a slide joint.' }),
    frictionLoss: t.float({ description: 'Dry friction: N·m, or N for a slide joint.' }),
    proprioception: t.stringList({ ...rule(names), description: 'Observation terms that the real robot can supply.' }),
    command: t.string({ ...rule(longNameText), description: 'Kind of command that a policy receives.' }),
    defaultPose: t.field({
      type: 'JSON',
      ...rule(poseRule),
      description: 'Default position by joint name: rad, or m for a slide joint.',
    }),
    discardVisual: t.boolean({ description: 'Whether visual geometry is removed from the model.' }),
  }),
})

const RefusedFileInput = builder.inputType('RobotCheckRefusedFileInput', {
  description: 'A file in a dropped zip that the browser did not upload.',
  fields: (t) => ({
    path: t.string({ required: true, ...rule(z.string().max(4096)), description: 'Path in the zip.' }),
    reason: t.string({ required: true, ...rule(z.string().max(1000)), description: 'Reason for the refusal.' }),
  }),
})

const DropInput = builder.inputType('RobotCheckDropInput', {
  description:
    'Facts about a dropped zip as the browser reports them; stored as given, not verified. Spec, `RobotCheckJobDrop`.',
  fields: (t) => ({
    filename: t.string({ ...rule(z.string().max(1024)), description: 'File name of the zip.' }),
    zipBytes: t.field({ type: 'SafeInt', ...rule(count), description: 'Size of the zip in bytes.' }),
    files: t.field({ type: 'SafeInt', ...rule(count), description: 'Number of files in the zip.' }),
    unpackedBytes: t.field({ type: 'SafeInt', ...rule(count), description: 'Size of the unpacked files in bytes.' }),
    entryCandidates: t.stringList({ ...rule(paths), description: 'Paths that could be the entry.' }),
    refused: t.field({
      type: [RefusedFileInput],
      ...rule(z.array(z.unknown()).max(1000)),
      description: 'Files that the browser did not upload.',
    }),
    uploadedFiles: t.field({ type: 'SafeInt', ...rule(count), description: 'Number of files uploaded.' }),
    uploadedBytes: t.field({ type: 'SafeInt', ...rule(count), description: 'Size of the uploaded files in bytes.' }),
    dedupedFiles: t.field({
      type: 'SafeInt',
      ...rule(count),
      description: 'Number of files not uploaded because the hub already had their bytes.',
    }),
    dedupedBytes: t.field({
      type: 'SafeInt',
      ...rule(count),
      description: 'Size of the files not uploaded, in bytes.',
    }),
  }),
})

const ObsInput = builder.inputType('ModelCheckObsInput', {
  description: 'The part of an observation contract that the robot interface does not define; for an unstamped policy.',
  fields: (t) => ({
    blocks: t.stringList({
      ...rule(names),
      description: 'Observation terms in the order in which the policy reads them.',
    }),
    scales: t.field({ type: 'JSON', ...rule(jsonObject), description: 'Factor by observation term.' }),
    cycleTimeS: t.float({ ...rule(z.number().positive()), description: 'Period of the gait clock in seconds.' }),
    profile: t.string({ ...rule(wordText), description: 'Name of an observation profile.' }),
    task: t.field({ type: 'JSON', ...rule(jsonObject), description: 'Task of the policy, free-form.' }),
  }),
})

const ModelInput = builder.inputType('ModelCheckRequestInput', {
  description: 'The policy to check, and values that its manifest lacks. Spec, `ModelCheckRequest`.',
  fields: (t) => ({
    repo: t.string({
      required: true,
      ...rule(fullNameText),
      description: 'Full name of a model repo that the caller can write (the draft).',
    }),
    hfRepo: t.string({
      ...rule(hfRepoText),
      description:
        'Public policy to import from an external model hub, `org/name[@revision]`; `entry` is then not used.',
    }),
    controlClass: t.field({
      type: ControlClassEnum,
      description: 'Control class of a policy whose manifest does not declare one.',
    }),
    obs: t.field({ type: ObsInput, description: 'Observation contract of an unstamped policy.' }),
  }),
})

export const checkRequestFields = (t: InputFields) => ({
  kind: t.field({ type: RobotCheckKindEnum, required: true, description: 'Whether a robot or a policy is checked.' }),
  robotRepo: t.string({
    ...rule(fullNameText),
    description: 'Full name of the robot repo, `owner/slug`. A model check without one only reads the policy.',
  }),
  model: t.field({ type: ModelInput, description: 'Required for a model check, 422 on a robot check.' }),
  entry: t.string({
    ...rule(filePath),
    description:
      'Robot check: path of the model file. Model check: path of an ONNX file, or of a directory with ' +
      '`manifest.json` and `policy/`, or with `config.json` and `model.safetensors`.',
  }),
  base: t.string({
    ...rule(wordText),
    description: '`fixed` or `floating`; required for a URDF, which does not declare it.',
  }),
  controlHz: t.float({
    ...rule(z.number().positive()),
    description:
      'Rate in Hz at which policies run on the real robot. Required for a robot check, 422 on a model check.',
  }),
  action: t.field({
    type: RobotCheckActionEnum,
    description: 'Meaning of a policy output. Required for a robot check, 422 on a model check.',
  }),
  options: t.field({ type: OptionsInput, description: 'Flags of the robot-init step; 422 on a model check.' }),
  executor: t.field({
    type: RobotCheckExecutorEnum,
    description: 'Default: `HOSTED` if the deployment offers it to the owner, else `WORKER`.',
  }),
  drop: t.field({
    type: DropInput,
    description: 'Facts about a dropped zip as the browser reports them; not verified.',
  }),
})
