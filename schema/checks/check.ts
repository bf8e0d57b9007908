/** Robot checks and model checks: type and queries. Spec, "Robot check job". */
import type { RobotCheck } from '../../src/checks/check-shape.ts'
import { getCheck, getChecksById } from '../../src/checks/read/get-check.ts'
import { listChecks } from '../../src/checks/read/list-checks.ts'
import { fullNameText } from '../../src/platform/text-rules.ts'
import { Account } from '../accounts/account.ts'
import { builder, MAX_PAGE_SIZE } from '../builder.ts'
import { Connection, forwardArgs, nodesOf } from '../connection.ts'
import { rule } from '../input-field.ts'
import { repoById } from '../repos/repo-edge.ts'
import { args, query } from '../root-field.ts'
import { JobStatusEnum } from '../runs/enums.ts'
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

type TimeField = 'startedAt' | 'finishedAt' | 'claimedAt' | 'heartbeatAt' | 'dispatchedAt'
type TextField = 'claimedBy' | 'hostedCallId' | 'error' | 'entry' | 'base' | 'logTail'
type JsonField = 'intake' | 'engine' | 'published'

export const CheckType = builder.objectRef<RobotCheck>('RobotCheck')

builder.node(CheckType, {
  description: 'A robot check or a model check: a job that examines a model and drafts what a person publishes later.',
  id: { resolve: (check) => check.id, description: 'TypeID, prefix `check_`; sorts by creation.' },
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'publishBlockers' in value,
  loadMany: (ids, ctx) => getChecksById(ctx.deps.db, ctx.viewer, ids),
  fields: (t) => {
    const time = (name: TimeField, description: string) =>
      t.field({ type: 'DateTime', nullable: true, description, resolve: (check) => check[name] })
    const text = (name: TextField, description: string) =>
      t.string({ nullable: true, description, resolve: (check) => check[name] })
    const json = (name: JsonField, description: string) =>
      t.field({ type: 'JSON', nullable: true, description, resolve: (check) => check[name] })
    return {
      kind: t.expose('kind', { type: RobotCheckKindEnum, description: 'What it examines.' }),
      status: t.expose('status', { type: JobStatusEnum, description: 'Where it stands.' }),
      robotRepoRef: t.expose('robotRepo', {
        type: RepoRef,
        nullable: true,
        description: 'The robot, as it was named.',
      }),
      modelRepoRef: t.expose('modelRepo', {
        type: RepoRef,
        nullable: true,
        description: 'The draft of a model check.',
      }),
      repo: t.loadable({
        ...repoById,
        description:
          'The repo that it is about: the robot, or the model where there is none; null where the caller does not see it.',
        resolve: ({ robotRepo, modelRepo }) => (robotRepo ?? modelRepo)?.id,
      }),
      model: t.expose('model', {
        type: ModelRequestType,
        nullable: true,
        description: 'The request of a model check.',
      }),
      intake: json('intake', 'What a model check found of the policy, in the names of `/v1`.'),
      entry: text('entry', 'The model file, or the policy.'),
      base: text('base', '`fixed` or `floating`, where it was given.'),
      controlHz: t.exposeFloat('controlHz', {
        nullable: true,
        description: 'Rate of policies; null for a model check.',
      }),
      action: t.expose('action', {
        type: RobotCheckActionEnum,
        nullable: true,
        description: "What a policy's output means; null for a model check.",
      }),
      options: t.expose('options', { type: CheckOptionsType, nullable: true, description: 'Flags of the init step.' }),
      executor: t.expose('executor', { type: RobotCheckExecutorEnum, description: 'Who executes it.' }),
      createdBy: t.expose('createdBy', {
        type: Account,
        nullable: true,
        description: 'The person behind the request.',
      }),
      createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was queued.' }),
      startedAt: time('startedAt', 'When it was claimed first.'),
      finishedAt: time('finishedAt', 'When it ended.'),
      claimedAt: time('claimedAt', 'When its worker claimed it.'),
      heartbeatAt: time('heartbeatAt', 'When its worker was last heard of.'),
      dispatchedAt: time('dispatchedAt', 'When the hosted call was made.'),
      claimedBy: text('claimedBy', 'Name of the worker that holds it, or held it.'),
      hostedCallId: text('hostedCallId', 'The hosted call that executes it.'),
      error: text('error', 'Why it failed.'),
      sourcesCount: t.exposeInt('sourcesCount', { description: 'Files of the snapshot.' }),
      sourcesBytes: t.expose('sourcesBytes', { type: 'SafeInt', description: 'What they add up to.' }),
      drop: t.expose('drop', {
        type: CheckDropType,
        nullable: true,
        description: 'Where it came from, as a browser says.',
      }),
      logTail: text('logTail', 'The last 64 KiB of its log.'),
      report: t.expose('report', { type: JobReportType, nullable: true, description: 'The verdict of its worker.' }),
      draft: t.expose('draft', { type: DraftType, nullable: true, description: 'What it would publish.' }),
      engine: json('engine', 'What ran, as its worker says.'),
      artifacts: t.expose('artifacts', { type: [ArtifactType], description: 'Files that it made, as reported.' }),
      publishBlockers: t.stringList({
        description: 'Why publishing would be refused now; empty where nothing of these stands in the way.',
        resolve: ({ publishBlockers }) => [...publishBlockers],
      }),
      published: json('published', 'What was published and when; null before.'),
      priced: t.exposeBoolean('priced', { description: 'A hosted check is.' }),
      costUsd: t.exposeFloat('costUsd', {
        nullable: true,
        description: 'What was billed, in dollars; null before the end.',
      }),
    }
  },
})

query('robotCheck', {
  type: CheckType,
  nullable: true,
  description: 'A check by id; null where it does not exist or is not visible to the caller.',
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
    'Checks that the caller made or on repos that they can write, newest first; none is public. A worker finds work with `status: QUEUED, executor: WORKER`.',
  scope: 'key:read',
  args: args((t) => ({
    ...t.connectionArgs(),
    robotRepo: t.string({ ...rule(fullNameText), description: 'Only on this robot, `owner/slug`.' }),
    status: t.field({ type: JobStatusEnum, description: 'Only in this state.' }),
    executor: t.field({ type: RobotCheckExecutorEnum, description: 'Only executed so.' }),
  })),
  read: async (ctx, args) => {
    const input = { ...args, ...forwardArgs(args, MAX_PAGE_SIZE) }
    return new Connection(await listChecks(ctx, input), Boolean(input.after))
  },
})
