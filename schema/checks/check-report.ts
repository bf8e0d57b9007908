/** What a worker sends: artifacts and reports. Spec, "POST /v1/robot-checks/{check_id}/artifacts" and "…/report". */

import { filePath, newFilePath } from '@hub/formats/file-path-rule'
import { contentTypeText, plainText } from '@hub/formats/text-rules'
import { z } from 'zod'
import { type ArtifactTicket, presignArtifacts, signUpload } from '../../src/checks/artifacts/presign-artifacts.ts'
import { CHECK_URL_TTL_SECONDS, MAX_ARTIFACT_BYTES, MAX_ARTIFACTS } from '../../src/checks/limits.ts'
import { reportCheck } from '../../src/checks/report/report-check.ts'
import { jsonObject } from '../../src/platform/json-object-rule.ts'
import { builder } from '../builder.ts'
import { RobotCheckStatusEnum } from '../cards/enums.ts'
import { rule } from '../input-field.ts'
import { ControlClassEnum } from '../repos/enums.ts'
import { input, mutation } from '../root-field.ts'
import { CheckType } from './check.ts'
import { ModelEmbodimentEnum, RobotCheckReportStatusEnum } from './enums.ts'
import { documentOfInput } from './input-document.ts'
import { targetCheck } from './target-check.ts'

const text = plainText(65_536)
const list = <Item extends z.ZodType>(item: Item) => z.array(item).max(10_000)
const loc = z.array(z.union([text, z.int()], 'must be a string or an integer'), 'must be an array').max(100)

const UploadType = builder.objectRef<ArtifactTicket>('RobotCheckArtifactUpload').implement({
  description: 'Upload of one artifact.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Path in the repo after publishing.' }),
    key: t.exposeString('storageKey', { description: 'Opaque storage key; not a URL.' }),
    url: t.string({
      description: 'Presigned PUT URL; accepts exactly the announced number of bytes.',
      extensions: { isSecret: true },
      resolve: (ticket, _args, ctx) => signUpload(ctx, ticket),
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When the URL expires.',
      resolve: () => new Date(Date.now() + CHECK_URL_TTL_SECONDS * 1000),
    }),
  }),
})

const Uploads = builder.objectRef<{ uploads: ArtifactTicket[] }>('PresignRobotCheckArtifactsPayload').implement({
  description: 'Result of `presignRobotCheckArtifacts`.',
  fields: (t) => ({
    uploads: t.expose('uploads', { most: 100, type: [UploadType], description: 'One per file, in request order.' }),
  }),
})

const ArtifactInput = builder.inputType('RobotCheckArtifactInput', {
  description: 'A file that the worker is going to upload.',
  fields: (t) => ({
    name: t.string({ required: true, ...rule(newFilePath), description: 'Path in the repo after publishing.' }),
    size: t.field({
      type: 'SafeInt',
      required: true,
      ...rule(z.int().min(0).max(MAX_ARTIFACT_BYTES)),
      description: 'Size in bytes, at most 256 MiB.',
    }),
    contentType: t.string({ ...rule(contentTypeText), description: 'Media type.' }),
  }),
})

mutation('presignRobotCheckArtifacts', {
  type: Uploads,
  description:
    'Presigns one PUT for each file that a running check makes: `robot_card.json`, the MJCF converted from a ' +
    'URDF entry, `meshes/…`, the two stills, and of a model check `*.onnx`, `manifest.json` and `policy/…`. 409 ' +
    'unless the caller holds the check; 413 if the storage quota of its account is exceeded.',
  scope: 'key:write',
  target: targetCheck,
  input: input('The check and the files to upload.', (t) => ({
    checkId: t.id({ required: true, description: 'Id of the check.' }),
    files: t.field({
      type: [ArtifactInput],
      required: true,
      ...rule(z.array(z.unknown()).min(1).max(MAX_ARTIFACTS)),
      description: '1 to 100 files; a check has at most 100.',
    }),
  })),
  verb: presignArtifacts,
})

const ReportedCheckInput = builder.inputType('RobotCheckReportCheckInput', {
  description: 'Result of one check of the worker.',
  fields: (t) => ({
    code: t.string({ required: true, ...rule(z.string().min(1).max(64)), description: 'Stable, machine-readable.' }),
    status: t.field({ type: RobotCheckStatusEnum, required: true, description: 'The result.' }),
    message: t.string({ required: true, ...rule(text), description: 'Explanation in one sentence.' }),
    names: t.stringList({ required: true, ...rule(list(text)), description: 'Joints, files or fields at fault.' }),
    hint: t.string({ ...rule(text), description: 'Hint for the fix, in one line.' }),
    loc: t.field({ type: 'JSON', ...rule(loc), description: 'Path into the card: strings and integers.' }),
    data: t.field({ type: 'JSON', ...rule(jsonObject), description: 'The numbers behind the result.' }),
  }),
})

const ReportedModelInput = builder.inputType('RobotCheckReportModelInput', {
  description: 'Summary of the model, as loaded by the engine of the worker.',
  fields: (t) => ({
    model: t.string({ ...rule(text), description: 'Name of the model.' }),
    base: t.string({ ...rule(text), description: '`fixed` or `floating`.' }),
    joints: t.stringList({ required: true, ...rule(list(text)), description: 'Named 1-DoF joints in document order.' }),
    files: t.stringList({ required: true, ...rule(list(text)), description: 'Repo paths that the model needs.' }),
    keyframes: t.stringList({ required: true, ...rule(list(text)), description: 'Named keyframes.' }),
  }),
})

const ReportInput = builder.inputType('RobotCheckReportInput', {
  description: 'The validation report of a worker.',
  fields: (t) => ({
    ok: t.boolean({ required: true, description: 'True if no check failed; 422 if one of `checks` did.' }),
    grade: t.field({ type: RobotCheckStatusEnum, required: true, description: 'Worst status of the checks that ran.' }),
    source: t.string({ required: true, ...rule(text), description: 'Source of the card that was validated.' }),
    engine: t.string({ required: true, ...rule(text), description: 'Name of the physics engine.' }),
    mjcfPath: t.string({ ...rule(filePath), description: 'Path of the MJCF file that was validated.' }),
    interfaceFingerprint: t.string({
      ...rule(text),
      description: 'SHA-256 of the canonical interface of the draft card.',
    }),
    model: t.field({ type: ReportedModelInput, description: 'Summary of the model.' }),
    checks: t.field({
      type: [ReportedCheckInput],
      required: true,
      ...rule(z.array(z.unknown()).max(1000)),
      description: 'Results of the checks, at most 1,000.',
    }),
  }),
})

const DraftInput = builder.inputType('RobotCheckDraftInput', {
  description: 'Origin of the draft card; the card itself is the artifact `robot_card.json`.',
  fields: (t) => ({
    source: t.string({ ...rule(text), description: 'Source of the draft, as the worker names it.' }),
    mjcfPath: t.string({ ...rule(filePath), description: 'Path of the MJCF file that the card names.' }),
    model: t.field({ type: 'JSON', ...rule(jsonObject), description: 'Summary of the model.' }),
    derived: t.stringList({
      ...rule(list(text)),
      description: 'Members of the card that the worker derived from the model.',
    }),
    conversion: t.field({
      type: 'JSON',
      ...rule(jsonObject),
      description: 'Details of the conversion from URDF, free-form.',
    }),
  }),
})

const SourceInput = builder.inputType('ModelIntakeSourceInput', {
  description: 'Origin of an imported policy.',
  fields: (t) => ({
    hfRepo: t.string({ ...rule(text), description: 'Repo on the external model hub, `org/name`.' }),
    revision: t.string({ ...rule(text), description: 'Commit that was fetched.' }),
    license: t.string({ ...rule(text), description: 'License that the external model card declares.' }),
    files: t.stringList({ ...rule(list(text)), description: 'Paths of the files that were fetched.' }),
    bytes: t.field({ type: 'SafeInt', ...rule(z.int().min(0)), description: 'Size of the fetched files in bytes.' }),
    skipped: t.stringList({ ...rule(list(text)), description: 'Paths of the files that were not fetched.' }),
  }),
})

const DifferenceInput = builder.inputType('ModelIntakeDifferenceInput', {
  description: 'A field in which the contract of a policy differs from the interface of the robot.',
  fields: (t) => ({
    field: t.string({ required: true, ...rule(text), description: 'Name of the field.' }),
    policy: t.field({ type: 'JSON', description: 'Its value in the contract of the policy.' }),
    robot: t.field({ type: 'JSON', description: 'Its value in the interface of the robot.' }),
  }),
})

const IntakeInput = builder.inputType('ModelIntakeInput', {
  description: 'Findings of a model check about the policy. Spec, `ModelIntake`.',
  fields: (t) => ({
    policyPath: t.string({ ...rule(filePath), description: 'Path of the policy.' }),
    policyFormat: t.string({ ...rule(text), description: 'File format of the policy.' }),
    policyType: t.string({ ...rule(text), description: 'Policy type.' }),
    embodiment: t.field({
      type: ModelEmbodimentEnum,
      required: true,
      description:
        'How its contract compares with the interface of the robot. `MATCH` is verified: 422 unless ' +
        '`embodimentFingerprint` is the fingerprint of the robot card.',
    }),
    stampedByCheck: t.boolean({ description: 'True if the policy was unstamped and the check derived its contract.' }),
    differing: t.field({
      type: [DifferenceInput],
      ...rule(z.array(z.unknown()).max(1000)),
      description: 'Differences between contract and interface, at most 1,000.',
    }),
    controlClass: t.field({ type: ControlClassEnum, description: 'Control class of the policy.' }),
    embodimentFingerprint: t.string({
      ...rule(text),
      description: 'Interface fingerprint recorded in the policy manifest.',
    }),
    robotFingerprint: t.string({ ...rule(text), description: 'Interface fingerprint of the robot.' }),
    summary: t.string({ ...rule(text), description: 'Summary in one or two sentences.' }),
    manifest: t.field({ type: 'JSON', ...rule(jsonObject), description: 'The policy manifest, free-form.' }),
    graph: t.field({
      type: 'JSON',
      ...rule(jsonObject),
      description: 'Inputs and outputs of the policy graph, free-form.',
    }),
    params: t.field({
      type: 'SafeInt',
      ...rule(z.int().min(0)),
      description: 'Number of parameters, from the header of the weights.',
    }),
    source: t.field({ type: SourceInput, description: 'Origin of an imported policy.' }),
  }),
})

const ArtifactRef = builder.inputType('RobotCheckArtifactRefInput', {
  description: 'An uploaded artifact.',
  fields: (t) => ({
    path: t.string({ required: true, ...rule(filePath), description: 'Name under which it was presigned.' }),
  }),
})

mutation('reportRobotCheck', {
  type: CheckType,
  payload: { name: 'check', description: 'The check after the report.' },
  description:
    'Stores a report of the worker in one transaction. The hub hashes every artifact that the report names and ' +
    'reads `robot_card.json`. 409 unless the caller holds the check, and after its end; a report with a stored ' +
    '`logSeq` changes nothing and is answered again.',
  scope: 'key:write',
  target: targetCheck,
  input: input('The report; every member but the id is optional.', (t) => ({
    checkId: t.id({ required: true, description: 'Id of the check.' }),
    status: t.field({
      type: RobotCheckReportStatusEnum,
      description: 'Ends the check. `SUCCEEDED` if there is a verdict, good or bad; `FAILED` if the job itself broke.',
    }),
    logChunk: t.string({
      extensions: { anyText: true },
      description: 'Text to append to the log, at most 256 KiB of UTF-8.',
    }),
    logSeq: t.field({
      type: 'SafeInt',
      ...rule(z.int().min(0)),
      description: 'Sequence number of this report, counted by the worker: a resent report is stored once.',
    }),
    error: t.string({ ...rule(text), description: 'Why the job failed; expected with `FAILED`.' }),
    report: t.field({ type: ReportInput, description: 'Validation report.' }),
    draft: t.field({ type: DraftInput, description: 'Origin of the draft card.' }),
    artifacts: t.field({
      type: [ArtifactRef],
      ...rule(z.array(z.unknown()).max(MAX_ARTIFACTS)),
      description: 'Uploaded artifacts; 422 for one that was never uploaded.',
    }),
    engine: t.field({ type: 'JSON', ...rule(jsonObject), description: 'Engine and versions that ran, free-form.' }),
    intake: t.field({
      type: IntakeInput,
      description: 'Findings of a model check; required with `SUCCEEDED`, 422 on a robot check.',
    }),
  })),
  verb: (ctx, { report, draft, intake, ...input }) =>
    reportCheck(ctx, {
      ...input,
      report: documentOfInput(report),
      draft: draft && { ...documentOfInput({ ...draft, model: null }), model: draft.model ?? null },
      intake: documentOfInput(intake),
    }),
})
