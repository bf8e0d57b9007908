/** What a check consists of: the request as it was given and what its worker found. Documents are kept in the names of `/v1`. */

import { signArtifact } from '../../src/checks/artifacts/sign-artifact.ts'
import type { CheckArtifact, CheckDraft, CheckNeed, Document } from '../../src/checks/check-shape.ts'
import { builder } from '../builder.ts'
import { RobotCheckStatusEnum } from '../cards/enums.ts'
import { ModelSummary, ValidationCheck } from '../cards/robot-card.ts'
import { ControlClassEnum } from '../repos/enums.ts'
import { RobotCheckNeedSeverityEnum } from './enums.ts'

type Members = PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, Document>

/** Fields that show members of a document. */
const membersOf = (t: Members) => ({
  text: (name: string, description: string) =>
    t.string({ nullable: true, description, resolve: (document) => document[name] as string | null }),
  number: (name: string, description: string) =>
    t.float({ nullable: true, description, resolve: (document) => asNumber(document[name]) }),
  count: (name: string, description: string) =>
    t.field({ type: 'SafeInt', nullable: true, description, resolve: (document) => asNumber(document[name]) }),
  flag: (name: string, description: string) =>
    t.boolean({ nullable: true, description, resolve: (document) => document[name] as boolean | null }),
  texts: (name: string, description: string) =>
    t.stringList({ nullable: true, description, resolve: (document) => document[name] as string[] | null }),
  json: (name: string, description: string) =>
    t.field({ type: 'JSON', nullable: true, description, resolve: (document) => document[name] }),
})

const asNumber = (value: unknown) => (value == null ? null : Number(value))

export const CheckOptionsType = builder.objectRef<Document>('RobotCheckOptions').implement({
  description: 'Flags of the init step, as they were given; what is null is not passed.',
  fields: (t) => {
    const member = membersOf(t)
    return {
      actionScale: member.number('action_scale', 'Scale of the action.'),
      actionClip: member.number('action_clip', 'Bound on the action before it is scaled.'),
      kp: member.number('kp', 'Proportional gain.'),
      kd: member.number('kd', 'Derivative gain.'),
      armature: member.number('armature', 'Reflected inertia.'),
      frictionLoss: member.number('friction_loss', 'Dry friction.'),
      proprioception: member.texts('proprioception', 'Observation terms that the real robot can supply.'),
      command: member.text('command', 'What a policy is told to do.'),
      defaultPose: member.json('default_pose', 'Position by joint name.'),
      discardVisual: member.flag('discard_visual', 'Leave visual geometry out.'),
    }
  },
})

const RefusedFile = builder.objectRef<Document>('RobotCheckRefusedFile').implement({
  description: 'A file of a dropped zip that was not taken.',
  fields: (t) => ({
    path: t.string({ description: 'Where it was.', resolve: ({ path }) => String(path) }),
    reason: t.string({ description: 'Why.', resolve: ({ reason }) => String(reason) }),
  }),
})

export const CheckDropType = builder.objectRef<Document>('RobotCheckDrop').implement({
  description: "The browser's own account of a dropped zip: stored as given, checked by nobody.",
  fields: (t) => {
    const member = membersOf(t)
    return {
      filename: member.text('filename', 'Name of the zip.'),
      zipBytes: member.count('zip_bytes', 'Its size.'),
      files: member.count('files', 'Files inside.'),
      unpackedBytes: member.count('unpacked_bytes', 'What they add up to.'),
      entryCandidates: member.texts('entry_candidates', 'Files that may be the model.'),
      refused: t.field({
        type: [RefusedFile],
        nullable: true,
        description: 'What was not taken.',
        resolve: (document) => document.refused as Document[] | null,
      }),
      uploadedFiles: member.count('uploaded_files', 'Files that were sent.'),
      uploadedBytes: member.count('uploaded_bytes', 'What they add up to.'),
      dedupedFiles: member.count('deduped_files', 'Files that were there already.'),
      dedupedBytes: member.count('deduped_bytes', 'What they add up to.'),
    }
  },
})

const ObsType = builder.objectRef<Document>('ModelCheckObs').implement({
  description: 'What the robot cannot know of the observations of an unstamped policy.',
  fields: (t) => {
    const member = membersOf(t)
    return {
      blocks: member.texts('blocks', 'Blocks of the observation, in their order.'),
      scales: member.json('scales', 'Scale by block.'),
      cycleTimeS: member.number('cycle_time_s', 'Period of a gait clock.'),
      profile: member.text('profile', 'A named profile.'),
      task: member.json('task', 'What the policy does.'),
    }
  },
})

export const ModelRequestType = builder.objectRef<Document>('ModelCheckRequest').implement({
  description: 'What a model check was asked, as it was given.',
  fields: (t) => ({
    repo: t.string({ description: 'The model repo.', resolve: ({ repo }) => String(repo) }),
    hfRepo: membersOf(t).text('hf_repo', 'A public policy to import: `org/name[@revision]`.'),
    controlClass: t.field({
      type: ControlClassEnum,
      nullable: true,
      description: 'For a policy whose manifest does not say.',
      resolve: (document) => document.control_class as 'reflex' | null,
    }),
    obs: t.field({
      type: ObsType,
      nullable: true,
      description: 'For an unstamped policy.',
      resolve: ({ obs }) => obs as Document | null,
    }),
  }),
})

const NeedType = builder.objectRef<CheckNeed>('RobotCheckNeed').implement({
  description: 'Something of a draft that a person has to look at.',
  fields: (t) => ({
    field: t.exposeString('field', { description: 'The member of the card.' }),
    severity: t.expose('severity', { type: RobotCheckNeedSeverityEnum, description: 'Whether it blocks.' }),
    why: t.exposeString('why', { description: 'What is missing or doubtful.' }),
    names: t.stringList({ description: 'Joints, files or fields.', resolve: ({ names }) => [...names] }),
    suggestion: t.exposeString('suggestion', { nullable: true, description: 'What may be right.' }),
  }),
})

const reported = (draft: CheckDraft, name: string) => (draft.reported[name] ?? null) as never

export const DraftType = builder.objectRef<CheckDraft>('RobotCheckDraft').implement({
  description: 'The card that a check drafted. Nothing of it is in the repo before it is published.',
  fields: (t) => ({
    source: t.string({
      nullable: true,
      description: 'What it was made from.',
      resolve: (draft) => reported(draft, 'source'),
    }),
    mjcfPath: t.string({
      nullable: true,
      description: 'The model that the card names.',
      resolve: (draft) => reported(draft, 'mjcf_path'),
    }),
    model: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What the model declares.',
      resolve: (draft) => reported(draft, 'model'),
    }),
    derived: t.stringList({
      description: 'Members of the card that were derived and not given.',
      resolve: (draft) => reported(draft, 'derived') ?? [],
    }),
    conversion: t.field({
      type: 'JSON',
      nullable: true,
      description: 'How a URDF was converted.',
      resolve: (draft) => reported(draft, 'conversion'),
    }),
    card: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The card, read back by the hub from `robot_card.json`.',
      resolve: ({ card }) => card,
    }),
    needsYou: t.field({
      type: [NeedType],
      description: 'What a person has to look at.',
      resolve: ({ needsYou }) => [...needsYou],
    }),
    blocking: t.int({
      description: 'How many of those block.',
      resolve: ({ needsYou }) => needsYou.filter(({ severity }) => severity === 'blocking').length,
    }),
  }),
})

export const JobReportType = builder.objectRef<Document>('RobotCheckReport').implement({
  description: "A worker's report on a robot or a policy: engine and verdicts are its own.",
  fields: (t) => {
    const member = membersOf(t)
    return {
      ok: t.boolean({ description: 'No check failed.', resolve: ({ ok }) => ok === true }),
      grade: t.field({
        type: RobotCheckStatusEnum,
        description: 'The worst status among the checks that ran.',
        resolve: ({ grade }) => grade as 'pass',
      }),
      source: t.string({ description: 'Where the card came from.', resolve: ({ source }) => String(source) }),
      engine: t.string({ description: 'The physics engine that ran.', resolve: ({ engine }) => String(engine) }),
      mjcfPath: member.text('mjcf_path', 'The model that was read.'),
      interfaceFingerprint: member.text('interface_fingerprint', 'Of the drafted interface.'),
      model: t.field({
        type: ModelSummary,
        nullable: true,
        description: 'What the model declares.',
        resolve: ({ model }) => model as never,
      }),
      checks: t.field({
        type: [ValidationCheck],
        description: 'What was checked.',
        resolve: ({ checks }) => checks as never,
      }),
    }
  },
})

export const ArtifactType = builder.objectRef<CheckArtifact>('RobotCheckArtifact').implement({
  description: 'A file that a check made and its worker reported.',
  fields: (t) => ({
    path: t.string({ description: 'The repo path that it takes if published.', resolve: ({ name }) => name }),
    size: t.expose('size', { type: 'SafeInt', description: 'Bytes.' }),
    sha256: t.exposeString('sha256', { description: 'By the hub.' }),
    contentType: t.exposeString('contentType', { nullable: true, description: 'As its worker said.' }),
    url: t.string({
      description: 'Answers GET for an hour.',
      resolve: (artifact, _args, ctx) => signArtifact(ctx, artifact),
    }),
  }),
})
