/** What a worker sends: artifacts and reports. Spec, "POST /v1/robot-checks/{check_id}/artifacts" and "…/report". */
import { z } from 'zod'
import { type ArtifactTicket, presignArtifacts, signUpload } from '../../src/checks/artifacts/presign-artifacts.ts'
import { CHECK_URL_TTL_SECONDS, MAX_ARTIFACT_BYTES, MAX_ARTIFACTS } from '../../src/checks/limits.ts'
import { reportCheck } from '../../src/checks/report/report-check.ts'
import { filePath, newFilePath } from '../../src/platform/file-path.ts'
import { jsonObject, jsonObjectList } from '../../src/platform/json-object-rule.ts'
import { builder } from '../builder.ts'
import { RobotCheckStatusEnum } from '../cards/enums.ts'
import { rule } from '../input-field.ts'
import { ControlClassEnum } from '../repos/enums.ts'
import { input, mutation } from '../root-field.ts'
import { CheckType } from './check.ts'
import { ModelEmbodimentEnum, RobotCheckReportStatusEnum } from './enums.ts'
import { documentOfInput } from './input-document.ts'
import { targetCheck } from './target-check.ts'

const text = z
  .string()
  .max(65_536)
  .refine((value) => !value.includes('\0'), 'must not contain a NUL character')
const list = <Item extends z.ZodType>(item: Item) => z.array(item).max(10_000)
const loc = z.unknown().refine((value) => value == null || Array.isArray(value), 'must be an array')

const UploadType = builder.objectRef<ArtifactTicket>('RobotCheckArtifactUpload').implement({
  description: 'Where to send an artifact.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The repo path that it takes if published.' }),
    key: t.exposeString('storageKey', { description: 'Storage key: opaque, no URL.' }),
    url: t.string({
      description: 'Presigned PUT URL: takes exactly the announced bytes.',
      resolve: (ticket, _args, ctx) => signUpload(ctx, ticket),
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When the URL ends.',
      resolve: () => new Date(Date.now() + CHECK_URL_TTL_SECONDS * 1000),
    }),
  }),
})

const Uploads = builder.objectRef<{ uploads: ArtifactTicket[] }>('PresignRobotCheckArtifactsPayload').implement({
  description: 'The answer to `presignRobotCheckArtifacts`.',
  fields: (t) => ({ uploads: t.expose('uploads', { type: [UploadType], description: 'In the order asked.' }) }),
})

const ArtifactInput = builder.inputType('RobotCheckArtifactInput', {
  description: 'A file that the check made.',
  fields: (t) => ({
    name: t.string({ required: true, ...rule(newFilePath), description: 'The repo path that it takes if published.' }),
    size: t.field({
      type: 'SafeInt',
      required: true,
      ...rule(z.int().min(0).max(MAX_ARTIFACT_BYTES)),
      description: 'Bytes, 256 MiB at most.',
    }),
    contentType: t.string({ ...rule(z.string().max(255)), description: 'Media type.' }),
  }),
})

mutation('presignRobotCheckArtifacts', {
  type: Uploads,
  description:
    'Presigns one PUT for each file that a running check makes: `robot_card.json`, the MJCF converted from a URDF entry, `meshes/…`, the two stills, and of a model check `*.onnx`, `manifest.json` and `policy/…`. 409 for everybody but the credential that holds the check.',
  scope: 'key:write',
  target: targetCheck,
  input: input('What the worker is going to send.', (t) => ({
    checkId: t.id({ required: true, description: 'Id of the check.' }),
    files: t.field({
      type: [ArtifactInput],
      required: true,
      ...rule(z.array(z.unknown()).min(1).max(MAX_ARTIFACTS)),
      description: '1 to 100 files.',
    }),
  })),
  verb: presignArtifacts,
})

const ReportedCheckInput = builder.inputType('RobotCheckReportCheckInput', {
  description: 'One check of the worker and its result.',
  fields: (t) => ({
    code: t.string({ required: true, ...rule(z.string().min(1).max(64)), description: 'Stable, machine-readable.' }),
    status: t.field({ type: RobotCheckStatusEnum, required: true, description: 'The result.' }),
    message: t.string({ required: true, ...rule(text), description: 'Explanation in one sentence.' }),
    names: t.stringList({ required: true, ...rule(list(text)), description: 'Joints, files or fields at fault.' }),
    hint: t.string({ ...rule(text), description: 'How to fix it, in one line.' }),
    loc: t.field({ type: 'JSON', ...rule(loc), description: 'Path into the card: strings and integers.' }),
    data: t.field({ type: 'JSON', ...rule(jsonObject), description: 'The numbers behind the result.' }),
  }),
})

const ReportedModelInput = builder.inputType('RobotCheckReportModelInput', {
  description: 'The model as the engine of the worker has it.',
  fields: (t) => ({
    model: t.string({ ...rule(text), description: 'Its name.' }),
    base: t.string({ ...rule(text), description: '`fixed` or `floating`.' }),
    joints: t.stringList({ required: true, ...rule(list(text)), description: 'Named 1-DoF joints.' }),
    files: t.stringList({ required: true, ...rule(list(text)), description: 'Repo paths that it needs.' }),
    keyframes: t.stringList({ required: true, ...rule(list(text)), description: 'Named ones.' }),
  }),
})

const ReportInput = builder.inputType('RobotCheckReportInput', {
  description: 'The validation report of a check.',
  fields: (t) => ({
    ok: t.boolean({ required: true, description: 'No check failed.' }),
    grade: t.field({ type: RobotCheckStatusEnum, required: true, description: 'The worst status of those that ran.' }),
    source: t.string({ required: true, ...rule(text), description: 'Where the card came from.' }),
    engine: t.string({ required: true, ...rule(text), description: 'The physics engine that ran.' }),
    mjcfPath: t.string({ ...rule(filePath), description: 'The model that was read.' }),
    interfaceFingerprint: t.string({ ...rule(text), description: 'Of the drafted interface.' }),
    model: t.field({ type: ReportedModelInput, description: 'What the model declares.' }),
    checks: t.field({
      type: [ReportedCheckInput],
      required: true,
      ...rule(z.array(z.unknown()).max(1000)),
      description: 'Each check.',
    }),
  }),
})

const DraftInput = builder.inputType('RobotCheckDraftInput', {
  description: 'What the card was drafted from; the card itself is an artifact.',
  fields: (t) => ({
    source: t.string({ ...rule(text), description: 'What it was made from.' }),
    mjcfPath: t.string({ ...rule(filePath), description: 'The model that the card names.' }),
    model: t.field({ type: 'JSON', ...rule(jsonObject), description: 'What the model declares.' }),
    derived: t.stringList({ ...rule(list(text)), description: 'Members of the card that were derived.' }),
    conversion: t.field({ type: 'JSON', ...rule(jsonObject), description: 'How a URDF was converted.' }),
  }),
})

const SourceInput = builder.inputType('ModelIntakeSourceInput', {
  description: 'Where an imported policy came from.',
  fields: (t) => ({
    hfRepo: t.string({ ...rule(text), description: '`org/name`.' }),
    revision: t.string({ ...rule(text), description: 'The commit.' }),
    license: t.string({ ...rule(text), description: 'As its card says.' }),
    files: t.stringList({ ...rule(list(text)), description: 'What was fetched.' }),
    bytes: t.field({ type: 'SafeInt', ...rule(z.int().min(0)), description: 'What they add up to.' }),
    skipped: t.stringList({ ...rule(list(text)), description: 'What was left out.' }),
  }),
})

const IntakeInput = builder.inputType('ModelIntakeInput', {
  description: 'What a model check found of the policy.',
  fields: (t) => ({
    policyPath: t.string({ ...rule(filePath), description: 'The policy.' }),
    policyFormat: t.string({ ...rule(text), description: 'Its format.' }),
    policyType: t.string({ ...rule(text), description: 'Its type.' }),
    embodiment: t.field({
      type: ModelEmbodimentEnum,
      required: true,
      description: 'How its contract compares with the robot.',
    }),
    stampedByCheck: t.boolean({ description: 'It was unstamped, and the check derived its contract.' }),
    differing: t.field({
      type: ['JSON'],
      ...rule(jsonObjectList(1000)),
      description: '`field`, `policy`, `robot` of each difference.',
    }),
    controlClass: t.field({ type: ControlClassEnum, description: 'Its control class.' }),
    embodimentFingerprint: t.string({ ...rule(text), description: 'As its manifest records.' }),
    robotFingerprint: t.string({ ...rule(text), description: "Of the robot's interface." }),
    summary: t.string({ ...rule(text), description: 'In words.' }),
    manifest: t.field({ type: 'JSON', ...rule(jsonObject), description: 'Its manifest.' }),
    graph: t.field({ type: 'JSON', ...rule(jsonObject), description: 'Its graph.' }),
    params: t.field({ type: 'SafeInt', ...rule(z.int().min(0)), description: 'How many parameters it has.' }),
    source: t.field({ type: SourceInput, description: 'Where it was imported from.' }),
  }),
})

const ArtifactRef = builder.inputType('RobotCheckArtifactRefInput', {
  description: 'An artifact that was sent.',
  fields: (t) => ({
    path: t.string({ required: true, ...rule(filePath), description: 'Its name when it was presigned.' }),
  }),
})

mutation('reportRobotCheck', {
  type: CheckType,
  payload: { name: 'check', description: 'The check as it is now.' },
  description:
    'Stores what the worker of a running check reports, whole or not at all. The hub hashes each artifact that it names and reads `robot_card.json` back. 409 for everybody but the credential that holds the check, and once it has ended.',
  scope: 'key:write',
  target: targetCheck,
  input: input('What a worker has to report: all of it is optional.', (t) => ({
    checkId: t.id({ required: true, description: 'Id of the check.' }),
    status: t.field({
      type: RobotCheckReportStatusEnum,
      description: 'How it ended; a bad verdict is `SUCCEEDED` too.',
    }),
    logChunk: t.string({
      extensions: { anyText: true },
      description: 'Further lines of the log; 256 KiB in UTF-8 at most.',
    }),
    logSeq: t.field({
      type: 'SafeInt',
      ...rule(z.int().min(0)),
      description: 'Sequence number of this report, counted by the worker: a resent report is stored once.',
    }),
    error: t.string({ ...rule(text), description: 'Why the job broke.' }),
    report: t.field({ type: ReportInput, description: 'The verdict.' }),
    draft: t.field({ type: DraftInput, description: 'What the card was drafted from.' }),
    artifacts: t.field({
      type: [ArtifactRef],
      ...rule(z.array(z.unknown()).max(MAX_ARTIFACTS)),
      description: 'What was sent.',
    }),
    engine: t.field({ type: 'JSON', ...rule(jsonObject), description: 'What ran.' }),
    intake: t.field({ type: IntakeInput, description: 'Of a model check, required with `SUCCEEDED`.' }),
  })),
  verb: (ctx, { report, draft, intake, ...input }) =>
    reportCheck(ctx, {
      ...input,
      report: documentOfInput(report),
      draft: draft && { ...documentOfInput({ ...draft, model: null }), model: draft.model ?? null },
      intake: documentOfInput(intake),
    }),
})
