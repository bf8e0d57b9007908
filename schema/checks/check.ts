/** Robot checks and model checks: type and queries. Spec, "Robot check job". */

import { fullNameText } from '@hub/formats/text-rules'
import type { RobotCheck } from '../../src/checks/check-shape.ts'
import { MAX_ARTIFACTS } from '../../src/checks/limits.ts'
import { getCheck, getChecksById } from '../../src/checks/read/get-check.ts'
import { listChecks } from '../../src/checks/read/list-checks.ts'
import { Account } from '../accounts/account.ts'
import { accountById } from '../accounts/account-by-id.ts'
import { builder, MAX_PAGE_SIZE } from '../builder.ts'
import { Connection, forwardArgs, nodesOf, pageArgs } from '../connection.ts'
import { rule } from '../input-field.ts'
import { member } from '../member.ts'
import { nodeIds } from '../node-id.ts'
import { repoById } from '../repos/repo-edge.ts'
import { args, query } from '../root-field.ts'
import { JobStatusEnum } from '../runs/enums.ts'
import { JobInterface } from '../runs/job.ts'
import { RepoRef } from '../runs/run-parts.ts'
import {
  ArtifactType,
  CheckDropType,
  CheckOptionsType,
  DraftType,
  JobReportType,
  ModelRequestType,
} from './check-parts.ts'
import { RobotCheckActionEnum, RobotCheckExecutorEnum, RobotCheckKindEnum } from './enums.ts'
import { IntakeType } from './intake.ts'
import { PublishedType } from './published.ts'

type TimeField = 'startedAt' | 'finishedAt' | 'claimedAt' | 'heartbeatAt' | 'dispatchedAt'
type TextField = 'claimedBy' | 'hostedCallId' | 'error' | 'entry' | 'base' | 'logTail'

export const CheckType = builder.objectRef<RobotCheck>('RobotCheck')

nodeIds('check', 'RobotCheck')
builder.node(CheckType, {
  interfaces: [JobInterface],
  description:
    'A robot check or a model check: a job that examines a robot model or a policy and drafts a card, which a ' +
    'person can publish.',
  id: { resolve: member('id', (check) => check.id), description: 'TypeID, prefix `check_`; sorts by creation.' },
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'publishBlockers' in value,
  loadMany: (ids, ctx) => getChecksById(ctx.deps.db, ctx.viewer, ids),
  fields: (t) => ({
    kind: t.expose('kind', { type: RobotCheckKindEnum, description: 'Whether it checks a robot or a policy.' }),
    status: t.expose('status', { type: JobStatusEnum, description: 'State of the job.' }),
    robotRepoRef: t.expose('robotRepo', {
      type: RepoRef,
      nullable: true,
      description: 'Id and name of the robot repo, as in the request.',
    }),
    modelRepoRef: t.expose('modelRepo', {
      type: RepoRef,
      nullable: true,
      description: 'Id and name of the draft model repo of a model check.',
    }),
    repo: t.loadable({
      ...repoById,
      description:
        'The robot repo, or the model repo of a check without a robot; null if it is not visible to the caller.',
      resolve: ({ robotRepo, modelRepo }) => (robotRepo ?? modelRepo)?.id,
    }),
    model: t.expose('model', {
      type: ModelRequestType,
      nullable: true,
      description: 'The request of a model check.',
    }),
    controlHz: t.exposeFloat('controlHz', {
      nullable: true,
      description: 'Rate of policies on the real robot in Hz; null for a model check.',
    }),
    action: t.expose('action', {
      type: RobotCheckActionEnum,
      nullable: true,
      description: 'Meaning of a policy output; null for a model check.',
    }),
    options: t.expose('options', {
      type: CheckOptionsType,
      nullable: true,
      description: 'Flags of the robot-init step.',
    }),
    executor: t.expose('executor', { type: RobotCheckExecutorEnum, description: 'Who executes it.' }),
    owner: t.loadable({
      ...accountById,
      description: 'The account that is billed.',
      resolve: ({ ownerId }) => ownerId,
    }),
    createdBy: t.expose('createdBy', {
      type: Account,
      nullable: true,
      description: 'The person who made the check; null if a key of the operator did.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was queued.' }),
    sourcesCount: t.exposeInt('sourcesCount', { description: 'Number of files in the snapshot.' }),
    sourcesBytes: t.expose('sourcesBytes', { type: 'SafeInt', description: 'Size of the snapshot in bytes.' }),
    drop: t.expose('drop', {
      type: CheckDropType,
      nullable: true,
      description: 'Facts about a dropped zip as the browser reported them; not verified.',
    }),
  }),
})

/** What came of it. */
builder.objectFields(CheckType, (t) => ({
  intake: t.expose('intake', { type: IntakeType, nullable: true, description: 'Findings of a model check.' }),
  report: t.expose('report', {
    type: JobReportType,
    nullable: true,
    description: 'Validation report of the worker.',
  }),
  draft: t.expose('draft', { type: DraftType, nullable: true, description: 'Draft card.' }),
  engine: t.expose('engine', {
    type: 'JSON',
    nullable: true,
    description: 'Engine and versions that ran, as reported, free-form.',
  }),
  artifacts: t.expose('artifacts', {
    most: MAX_ARTIFACTS,
    type: [ArtifactType],
    description: 'Files that the check produced.',
  }),
  publishBlockers: t.stringList({
    most: 100,
    description:
      'Why publishing would be refused now for any caller. A card that contradicts its model and the storage ' +
      'quota are checked only when publishing.',
    resolve: ({ publishBlockers }) => [...publishBlockers],
  }),
  published: t.expose('published', {
    type: PublishedType,
    nullable: true,
    description: 'What was published and when; null until then.',
  }),
  priced: t.exposeBoolean('priced', { description: 'True for a hosted check, which is billed.' }),
  costUsd: t.exposeFloat('costUsd', {
    nullable: true,
    description: 'Billed amount in USD; null before the end and for a worker check.',
  }),
}))

/** Times, and the texts that a check may lack. */
builder.objectFields(CheckType, (t) => {
  const time = (name: TimeField, description: string) =>
    t.field({ type: 'DateTime', nullable: true, description, resolve: member(name, (check) => check[name]) })
  const text = (name: TextField, description: string) =>
    t.string({ nullable: true, description, resolve: member(name, (check) => check[name]) })
  return {
    entry: text('entry', 'Path of the model file or of the policy.'),
    base: text('base', '`fixed` or `floating`; null if not given.'),
    startedAt: time('startedAt', 'When it was claimed first.'),
    finishedAt: time('finishedAt', 'When it ended.'),
    claimedAt: time('claimedAt', 'When its worker claimed it.'),
    heartbeatAt: time('heartbeatAt', 'When its worker last claimed or reported.'),
    dispatchedAt: time('dispatchedAt', 'When the hosted call was made.'),
    claimedBy: text('claimedBy', 'Name of the worker that claimed it.'),
    hostedCallId: text('hostedCallId', 'Id of the hosted function call.'),
    error: text('error', 'Why it failed.'),
    logTail: text('logTail', 'End of the log, at most 64 KiB; null while it is empty.'),
  }
})

query('robotCheck', {
  type: CheckType,
  nullable: true,
  description: 'A check by id; null if it does not exist or is not visible to the caller.',
  scope: 'key:read',
  args: args((t) => ({ id: t.id({ required: true, description: 'TypeID, `check_…`.' }) })),
  read: (ctx, { id }) => getCheck(ctx, id),
})

export const CheckConnection = builder.connectionObject(
  {
    type: CheckType,
    name: 'RobotCheckConnection',
    description: 'A page of checks.',
    fields: (connection) => ({
      nodes: connection.field({ type: [CheckType], description: 'The checks.', resolve: nodesOf<RobotCheck> }),
    }),
  },
  { name: 'RobotCheckEdge', description: 'A check and its cursor.' },
)

query('robotChecks', {
  type: CheckConnection,
  description:
    'Checks that the caller made, and checks on repos that the caller can write, newest first. A worker finds ' +
    'work with `status: QUEUED, executor: WORKER`.',
  scope: 'key:read',
  args: args((t) => ({
    ...pageArgs(t),
    robotRepo: t.string({
      ...rule(fullNameText),
      description: 'Only checks of the robot repo that has this name now, `owner/slug`.',
    }),
    status: t.field({ type: JobStatusEnum, description: 'Only checks with this status.' }),
    executor: t.field({ type: RobotCheckExecutorEnum, description: 'Only checks with this executor.' }),
  })),
  read: async (ctx, args) => {
    const input = { ...args, ...forwardArgs(args, MAX_PAGE_SIZE) }
    return new Connection(await listChecks(ctx, input), Boolean(input.after))
  },
})
