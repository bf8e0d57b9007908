/** Parts of a check: the request as given, and the findings of its worker. Documents have `/v1` names. */
import { signArtifact } from '../../src/checks/artifacts/sign-artifact.ts'
import type { CheckArtifact, CheckDraft, CheckNeed, Document } from '../../src/checks/check-shape.ts'
import { builder } from '../builder.ts'
import { RobotCheckStatusEnum } from '../cards/enums.ts'
import { ModelSummary, ValidationCheck } from '../cards/robot-card.ts'
import { ControlClassEnum } from '../repos/enums.ts'
import { documentType, membersOf } from './document-type.ts'
import { RobotCheckNeedSeverityEnum } from './enums.ts'

export const CheckOptionsType = documentType(
  'RobotCheckOptions',
  'Flags of the robot-init step, as given; a null flag is not passed. Spec, `RobotCheckJobOptions`.',
  (_t, member) => ({
    actionScale: member.number('action_scale', 'Factor from a policy output to an action.'),
    actionClip: member.number('action_clip', 'Absolute limit of a policy output, applied before `actionScale`.'),
    kp: member.number('kp', 'Proportional gain of the actuators: N·m/rad, or N/m for a slide joint.'),
    kd: member.number('kd', 'Derivative gain of the actuators: N·m·s/rad, or N·s/m for a slide joint.'),
    armature: member.number('armature', 'Reflected inertia of the rotors: kg·m², or kg for a slide joint.'),
    frictionLoss: member.number('friction_loss', 'Dry friction: N·m, or N for a slide joint.'),
    proprioception: member.texts('proprioception', 'Observation terms that the real robot can supply.'),
    command: member.text('command', 'Kind of command that a policy receives.'),
    defaultPose: member.json('default_pose', 'Default position by joint name: rad, or m for a slide joint.'),
    discardVisual: member.flag('discard_visual', 'Whether visual geometry is removed from the model.'),
  }),
)

const RefusedFile = builder.objectRef<Document>('RobotCheckRefusedFile').implement({
  description: 'A file in a dropped zip that the browser did not upload.',
  fields: (t) => ({
    path: t.string({ description: 'Path in the zip.', resolve: ({ path }) => String(path) }),
    reason: t.string({ description: 'Reason for the refusal.', resolve: ({ reason }) => String(reason) }),
  }),
})

export const CheckDropType = documentType(
  'RobotCheckDrop',
  'Facts about a dropped zip as the browser reports them; stored as given, not verified. Spec, `RobotCheckJobDrop`.',
  (t, member) => ({
    filename: member.text('filename', 'File name of the zip.'),
    zipBytes: member.count('zip_bytes', 'Size of the zip in bytes.'),
    files: member.count('files', 'Number of files in the zip.'),
    unpackedBytes: member.count('unpacked_bytes', 'Size of the unpacked files in bytes.'),
    entryCandidates: member.texts('entry_candidates', 'Paths that could be the entry.'),
    refused: t.field({
      most: 200,
      type: [RefusedFile],
      nullable: true,
      description: 'Files that the browser did not upload.',
      resolve: (document) => document.refused as Document[] | null,
    }),
    uploadedFiles: member.count('uploaded_files', 'Number of files uploaded.'),
    uploadedBytes: member.count('uploaded_bytes', 'Size of the uploaded files in bytes.'),
    dedupedFiles: member.count(
      'deduped_files',
      'Number of files not uploaded because the hub already had their bytes.',
    ),
    dedupedBytes: member.count('deduped_bytes', 'Size of the files not uploaded, in bytes.'),
  }),
)

const ObsType = documentType(
  'ModelCheckObs',
  'The part of an observation contract that the robot interface does not define; for an unstamped policy.',
  (_t, member) => ({
    blocks: member.texts('blocks', 'Observation terms in the order in which the policy reads them.'),
    scales: member.json('scales', 'Factor by observation term.'),
    cycleTimeS: member.number('cycle_time_s', 'Period of the gait clock in seconds.'),
    profile: member.text('profile', 'Name of an observation profile.'),
    task: member.json('task', 'Task of the policy, free-form.'),
  }),
)

export const ModelRequestType = builder.objectRef<Document>('ModelCheckRequest').implement({
  description: 'The request of a model check, as given.',
  fields: (t) => ({
    repo: t.string({ description: 'Full name of the draft model repo.', resolve: ({ repo }) => String(repo) }),
    hfRepo: membersOf(t).text('hf_repo', 'Public policy that was imported, `org/name[@revision]`.'),
    controlClass: t.field({
      type: ControlClassEnum,
      nullable: true,
      description: 'Control class of a policy whose manifest does not declare one.',
      resolve: (document) => document.control_class as 'reflex' | null,
    }),
    obs: t.field({
      type: ObsType,
      nullable: true,
      description: 'Observation contract of an unstamped policy.',
      resolve: ({ obs }) => obs as Document | null,
    }),
  }),
})

const NeedType = builder.objectRef<CheckNeed>('RobotCheckNeed').implement({
  description: 'A question about the draft card that a person has to answer or review.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'Member of the card.' }),
    severity: t.expose('severity', {
      type: RobotCheckNeedSeverityEnum,
      description: 'Severity: whether it blocks publishing.',
    }),
    why: t.exposeString('why', { description: 'Why the value needs review.' }),
    names: t.stringList({
      most: 100,
      description: 'Affected joints, files or fields.',
      resolve: ({ names }) => [...names],
    }),
    suggestion: t.exposeString('suggestion', { nullable: true, description: 'A proposed value.' }),
  }),
})

const reported = (draft: CheckDraft, name: string) => (draft.reported[name] ?? null) as never

export const DraftType = builder.objectRef<CheckDraft>('RobotCheckDraft').implement({
  description: 'The draft card of a check. The repo does not change until it is published.',
  fields: (t) => ({
    source: t.string({
      nullable: true,
      description: 'Source of the draft, as the worker names it.',
      resolve: (draft) => reported(draft, 'source'),
    }),
    mjcfPath: t.string({
      nullable: true,
      description: 'Path of the MJCF file that the card names.',
      resolve: (draft) => reported(draft, 'mjcf_path'),
    }),
    model: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Summary of the model.',
      resolve: (draft) => reported(draft, 'model'),
    }),
    derived: t.stringList({
      most: 200,
      description: 'Members of the card that the worker derived from the model.',
      resolve: (draft) => reported(draft, 'derived') ?? [],
    }),
    conversion: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Details of the conversion from URDF, free-form.',
      resolve: (draft) => reported(draft, 'conversion'),
    }),
    card: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The card, as the hub read it from the artifact `robot_card.json`.',
      resolve: ({ card }) => card,
    }),
    needsYou: t.field({
      most: 100,
      type: [NeedType],
      description: 'Questions that a person has to answer or review.',
      resolve: ({ needsYou }) => [...needsYou],
    }),
    blocking: t.int({
      description: 'Number of questions that block publishing.',
      resolve: ({ needsYou }) => needsYou.filter(({ severity }) => severity === 'blocking').length,
    }),
  }),
})

export const JobReportType = documentType(
  'RobotCheckReport',
  'The validation report of the worker. The hub verifies only that `ok` agrees with the checks beside it. Spec, ' +
    '`RobotValidationReport`.',
  (t, member) => ({
    ok: t.boolean({ description: 'True if no check failed.', resolve: ({ ok }) => ok === true }),
    grade: t.field({
      type: RobotCheckStatusEnum,
      description: 'Worst status of the checks that ran.',
      resolve: ({ grade }) => grade as 'pass',
    }),
    source: t.string({
      description: 'Source of the card that was validated.',
      resolve: ({ source }) => String(source),
    }),
    engine: t.string({ description: 'Name of the physics engine.', resolve: ({ engine }) => String(engine) }),
    mjcfPath: member.text('mjcf_path', 'Path of the MJCF file that was validated.'),
    interfaceFingerprint: member.text('interface_fingerprint', 'SHA-256 of the canonical interface of the draft card.'),
    model: t.field({
      type: ModelSummary,
      nullable: true,
      description: 'Summary of the model.',
      resolve: ({ model }) => model as never,
    }),
    checks: t.field({
      most: 200,
      type: [ValidationCheck],
      description: 'Results of the checks.',
      resolve: ({ checks }) => checks as never,
    }),
  }),
)

export const ArtifactType = builder.objectRef<CheckArtifact>('RobotCheckArtifact').implement({
  description: 'A file that the check produced and a report named.',
  fields: (t) => ({
    path: t.string({ description: 'Path in the repo after publishing.', resolve: ({ name }) => name }),
    size: t.expose('size', { type: 'SafeInt', description: 'Bytes.' }),
    sha256: t.exposeString('sha256', { description: 'SHA-256, computed by the hub.' }),
    contentType: t.exposeString('contentType', { nullable: true, description: 'Media type that the worker declared.' }),
    url: t.string({
      description: 'Presigned GET URL, valid for one hour.',
      extensions: { isSecret: true },
      resolve: (artifact, _args, ctx) => signArtifact(ctx, artifact),
    }),
  }),
})
