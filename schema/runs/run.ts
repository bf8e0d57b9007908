/** Training runs: type and queries. Spec, "Run" and "Runs". */
import { MAX_RUN_TAGS } from '@hub/formats/text-rules'
import { z } from 'zod'
import { warningsOf } from '../../src/runs/create/run-warnings.ts'
import { getRun, getRunsById } from '../../src/runs/read/get-run.ts'
import { listRuns, runFacets } from '../../src/runs/read/list-runs.ts'
import type { Run } from '../../src/runs/read/run-shape.ts'
import { Account } from '../accounts/account.ts'
import { builder, MAX_PAGE_SIZE } from '../builder.ts'
import { Connection, forwardArgs, nodesOf, pageArgs } from '../connection.ts'
import { rule } from '../input-field.ts'
import { member } from '../member.ts'
import { nodeIds } from '../node-id.ts'
import { nullInV1 } from '../null-in-v1.ts'
import { RunExecutorEnum } from '../planner/enums.ts'
import { Recipe } from '../planner/recipe.ts'
import { args, query } from '../root-field.ts'
import { DisplayNameSourceEnum, JobStatusEnum, RunKindEnum } from './enums.ts'
import { JobInterface } from './job.ts'
import { runListArgs } from './run-list-args.ts'
import {
  FacetsType,
  GateRowType,
  GateType,
  PinnedDatasetType,
  ProgressType,
  RepoRef,
  RoundType,
  SparklineType,
  SpendType,
} from './run-parts.ts'

export const RunType = builder.objectRef<Run>('Run')

nodeIds('run', 'Run')
builder.node(RunType, {
  description: 'A training run: submitted from a recipe and executed, or imported.',
  interfaces: [JobInterface],
  id: { resolve: member('id', (run) => run.id), description: 'TypeID, prefix `run_`; sorts by creation.' },
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'recipeHash' in value,
  loadMany: (ids, ctx) => getRunsById(ctx.deps.db, ctx.viewer, ids),
  fields: (t) => ({
    kind: t.expose('kind', { type: RunKindEnum, description: 'Way in which the run was created.' }),
    status: t.expose('status', { type: JobStatusEnum, description: 'Current status.' }),
    recipe: t.expose('recipe', { type: Recipe, description: 'The recipe as submitted.' }),
    recipeHash: t.exposeString('recipeHash', {
      description: 'SHA-256 of the recipe in canonical JSON (RFC 8785), without null and absent members.',
    }),
    datasets: t.expose('datasets', {
      most: 100,
      type: [PinnedDatasetType],
      description: "The recipe's datasets, pinned.",
    }),
    executor: t.expose('executor', {
      type: RunExecutorEnum,
      nullable: true,
      description: 'Executor of the run; null for an imported run.',
    }),
    warnings: t.stringList({
      most: 20,
      description: 'Settings of the recipe that need further setup, such as a gate that needs a runner with a battery.',
      resolve: (run) => warningsOf(run),
    }),
    owner: t.expose('owner', { type: Account, description: 'The account that is billed.' }),
    createdBy: t.expose('createdBy', {
      type: Account,
      nullable: true,
      description: 'The user who created it; null for requests without a person.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was submitted or imported.' }),
    parentRunId: t.exposeID('parentRunId', { nullable: true, description: 'The parent run.' }),
    round: t.field({
      type: RoundType,
      nullable: true,
      description: 'The campaign round that owns it; always null, since this hub has no campaigns.',
      // No run has such a member.
      resolve: member('round', () => null),
    }),
    displayName: t.exposeString('displayName', {
      description: 'Name to display.',
    }),
    displayNameSource: t.expose('displayNameSource', {
      type: DisplayNameSourceEnum,
      description: 'Source of the display name.',
    }),
    sortValue: t.exposeFloat('sortValue', {
      nullable: true,
      description:
        'The value by which the list is sorted that has it; null in a list that is newest first, and elsewhere.',
    }),
  }),
})

/** How far it is, what came of it, and what it cost. */
builder.objectFields(RunType, (t) => ({
  attempt: t.exposeInt('attempt', { description: 'Number of claims so far.' }),
  progress: t.expose('progress', {
    type: ProgressType,
    nullable: true,
    description: 'Progress as of the last report; null until there is one.',
  }),
  latestMetrics: t.expose('latestMetrics', {
    type: 'JSON',
    nullable: true,
    description: 'The last metrics line, as reported; null until there is one.',
  }),
  sparkline: t.expose('sparkline', {
    type: SparklineType,
    nullable: true,
    description: 'The reward curve in miniature; null until a metrics line has a reward.',
  }),
  peakVramGb: t.exposeFloat('peakVramGb', { nullable: true, description: 'Measured by the runner.' }),
  samplesPerS: t.exposeFloat('samplesPerS', { nullable: true, description: 'Measured by the runner.' }),
  gate: t.expose('gate', { type: GateType, nullable: true, description: 'Counts of the scorecard.' }),
  gates: t.expose('gates', {
    most: 1000,
    type: [GateRowType],
    nullable: true,
    description: 'Rows of the scorecard.',
  }),
  outputModelRepoRef: t.expose('outputModelRepo', {
    type: RepoRef,
    nullable: true,
    description: 'The model repo it publishes to, as recorded; null until reported.',
  }),
  costUsd: t.exposeFloat('costUsd', {
    nullable: true,
    description: 'Billed amount in US dollars; null until the run has ended.',
  }),
  spend: t.expose('spend', { type: SpendType, ...nullInV1, description: 'Cost of the run.' }),
}))

/** Times, the texts that a run may lack, and its tags. */
builder.objectFields(RunType, (t) => {
  const time = (name: TimeField, description: string) =>
    t.field({ type: 'DateTime', nullable: true, description, resolve: member(name, (run) => run[name]) })
  const text = (name: TextField, description: string) =>
    t.string({ nullable: true, description, resolve: member(name, (run) => run[name]) })
  return {
    gpuType: text('gpuType', 'Hardware tier that is billed, or that was requested for a worker.'),
    metricsKey: text('metricsKey', 'Storage key of the metrics.'),
    logsKey: text('logsKey', 'Storage prefix of the log; null for an imported run.'),
    configKey: text('configKey', 'Storage key of the resolved config.'),
    scorecardKey: text('scorecardKey', 'Storage key of the acceptance scorecard.'),
    claimedBy: text('claimedBy', 'Name of the runner that holds or last held it; null before the first claim.'),
    claimedAt: time('claimedAt', 'When that runner claimed it.'),
    heartbeatAt: time('heartbeatAt', "Time of the runner's last report; null before the first claim."),
    leaseExpiresAt: time(
      'leaseExpiresAt',
      'When the lease expires unless the runner reports; null if it is not leased.',
    ),
    cancelRequestedAt: time(
      'cancelRequestedAt',
      'When cancellation was requested; the runner must stop. Null if it was not.',
    ),
    deadlineAt: time(
      'deadlineAt',
      'When its `max_hours` over all attempts are used up: it is then asked to stop, and ended one minute later. ' +
        'Null if it is not running or has no limit.',
    ),
    hostedCallId: text(
      'hostedCallId',
      'Id of the hosted call that executes it; null for worker runs and before dispatch.',
    ),
    dispatchedAt: time('dispatchedAt', 'When that call was started.'),
    error: text('error', 'Why the run failed; null if it did not.'),
    startedAt: time('startedAt', 'When it was first claimed; null before that.'),
    finishedAt: time('finishedAt', 'When it ended; null before that.'),
    project: text('project', 'The project that it is part of: at most 128 characters.'),
    name: text('name', 'Its name: at most 200 characters.'),
    notes: text('notes', 'Notes on it, in lines: at most 16 KiB.'),
    tags: t.stringList({
      most: MAX_RUN_TAGS,
      description: 'Tags of at most 64 characters, each once.',
      resolve: member('tags', (run) => run.tags),
    }),
    group: text('group', 'The group of runs that it belongs to: at most 128 characters.'),
    jobType: text('jobType', 'The part that it has in its group: at most 128 characters.'),
  }
})

type TimeField =
  | 'claimedAt'
  | 'heartbeatAt'
  | 'leaseExpiresAt'
  | 'cancelRequestedAt'
  | 'deadlineAt'
  | 'dispatchedAt'
  | 'startedAt'
  | 'finishedAt'
type TextField =
  | 'project'
  | 'name'
  | 'notes'
  | 'group'
  | 'jobType'
  | 'gpuType'
  | 'metricsKey'
  | 'logsKey'
  | 'configKey'
  | 'scorecardKey'
  | 'claimedBy'
  | 'hostedCallId'
  | 'error'

query('run', {
  type: RunType,
  nullable: true,
  description: 'A run by id; null if it does not exist or is not visible to the caller.',
  scope: 'key:read',
  args: args((t) => ({ id: t.id({ required: true, description: 'TypeID, `run_…`.' }) })),
  read: (ctx, { id }) => getRun(ctx, id),
})

const RunConnection = builder.connectionObject(
  {
    type: RunType,
    name: 'RunConnection',
    description: 'A page of runs.',
    fields: (connection) => ({
      nodes: connection.field({ type: [RunType], description: 'The runs.', resolve: nodesOf<Run> }),
      facets: connection.field({
        type: FacetsType,
        description: 'Counts over all visible runs; computed only when selected.',
        resolve: (_page, _args, ctx) => runFacets(ctx),
      }),
    }),
  },
  { name: 'RunEdge', description: 'A run and its cursor.' },
)

query('runs', {
  type: RunConnection,
  description:
    "Runs that the caller created or whose owner is the caller or one of the caller's orgs, newest first. " +
    'Filters are combined with AND. A runner finds work with `status: QUEUED, executor: WORKER`.',
  scope: 'key:read',
  args: args((t) => ({
    ...pageArgs(t),
    ...runListArgs(t),
    status: t.field({ type: JobStatusEnum, description: 'Only runs with this status.' }),
    executor: t.field({ type: RunExecutorEnum, description: 'Only runs with this executor.' }),
    owner: t.string({
      ...rule(z.string().max(256)),
      description: 'Only runs billed to this account (handle); an unknown handle gives an empty page.',
    }),
    kind: t.field({ type: RunKindEnum, description: 'Only this kind.' }),
    robot: t.string({
      ...rule(z.string().max(129)),
      description:
        'Only runs whose recipe names the robot repo that has this name now, or this text; case-insensitive.',
    }),
    gated: t.boolean({
      description: 'True: only runs whose scorecard has passed or failed rows; false: only the others.',
    }),
    parentRunId: t.id({ ...rule(z.string().max(64)), description: 'Only direct forks of this run.' }),
  })),
  read: async (ctx, args) => {
    const input = { ...args, ...forwardArgs(args, MAX_PAGE_SIZE) }
    return new Connection(await listRuns(ctx, input), Boolean(input.after))
  },
})
