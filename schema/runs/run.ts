/** Training runs: type and queries. Spec, "Run" and "Runs". */
import { z } from 'zod'
import { warningsOf } from '../../src/runs/create/run-warnings.ts'
import { getRun, getRunsById } from '../../src/runs/read/get-run.ts'
import { listRuns, runFacets } from '../../src/runs/read/list-runs.ts'
import type { Run } from '../../src/runs/read/run-shape.ts'
import { Account } from '../accounts/account.ts'
import { builder, MAX_PAGE_SIZE } from '../builder.ts'
import { Connection, forwardArgs, nodesOf } from '../connection.ts'
import { rule } from '../input-field.ts'
import { nullInV1 } from '../null-in-v1.ts'
import { RunExecutorEnum } from '../planner/enums.ts'
import { Recipe } from '../planner/recipe.ts'
import { args, query } from '../root-field.ts'
import { DisplayNameSourceEnum, JobStatusEnum, RunKindEnum } from './enums.ts'
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

builder.node(RunType, {
  description: 'A training run: submitted from a recipe and executed, or imported.',
  id: { resolve: (run) => run.id, description: 'TypeID, prefix `run_`; sorts by creation.' },
  isTypeOf: (value) => typeof value === 'object' && value !== null && 'recipeHash' in value,
  loadMany: (ids, ctx) => getRunsById(ctx.deps.db, ctx.viewer, ids),
  fields: (t) => {
    const time = (name: TimeField, description: string) =>
      t.field({ type: 'DateTime', nullable: true, description, resolve: (run) => run[name] })
    const text = (name: TextField, description: string) =>
      t.string({ nullable: true, description, resolve: (run) => run[name] })
    return {
      kind: t.expose('kind', { type: RunKindEnum, description: 'Where it comes from.' }),
      status: t.expose('status', { type: JobStatusEnum, description: 'Where it stands.' }),
      recipe: t.expose('recipe', { type: Recipe, description: 'What was asked for.' }),
      recipeHash: t.exposeString('recipeHash', {
        description: 'SHA-256 of the recipe in canonical JSON (RFC 8785), nulls and absent members left out.',
      }),
      owner: t.expose('owner', { type: Account, description: 'The account that is billed.' }),
      createdBy: t.expose('createdBy', {
        type: Account,
        nullable: true,
        description: 'The person behind the request.',
      }),
      gpuType: text('gpuType', 'GPU type that is billed, or that a worker was asked for.'),
      costUsd: t.exposeFloat('costUsd', {
        nullable: true,
        description: 'What was billed, in dollars; null before the end.',
      }),
      metricsKey: text('metricsKey', 'Storage key of the metrics.'),
      logsKey: text('logsKey', 'Storage prefix of the log; null for an imported run.'),
      configKey: text('configKey', 'Storage key of the resolved config.'),
      scorecardKey: text('scorecardKey', 'Storage key of the acceptance scorecard.'),
      gate: t.expose('gate', { type: GateType, nullable: true, description: 'Counts of the scorecard.' }),
      gates: t.expose('gates', { type: [GateRowType], nullable: true, description: 'Rows of the scorecard.' }),
      outputModelRepoRef: t.expose('outputModelRepo', {
        type: RepoRef,
        nullable: true,
        description: 'The model repo that it makes.',
      }),
      parentRunId: t.exposeID('parentRunId', { nullable: true, description: 'The run that it goes on from.' }),
      executor: t.expose('executor', {
        type: RunExecutorEnum,
        nullable: true,
        description: 'Null for an imported run.',
      }),
      claimedBy: text('claimedBy', 'Name of the runner that holds it, or held it last.'),
      claimedAt: time('claimedAt', 'When that runner claimed it.'),
      heartbeatAt: time('heartbeatAt', 'When the runner was last heard of.'),
      leaseExpiresAt: time('leaseExpiresAt', 'Until when the runner has to be heard of again.'),
      attempt: t.exposeInt('attempt', { description: 'How often it has been claimed.' }),
      cancelRequestedAt: time('cancelRequestedAt', 'When it was asked to stop; the runner has to obey.'),
      deadlineAt: time(
        'deadlineAt',
        'When its `max_hours` are used up, over all attempts; it is then asked to stop, and ended a minute later. Null where it is not under way or has no cap.',
      ),
      latestMetrics: t.expose('latestMetrics', {
        type: 'JSON',
        nullable: true,
        description: 'The last metrics line, as it was reported.',
      }),
      peakVramGb: t.exposeFloat('peakVramGb', { nullable: true, description: 'Measured by the runner.' }),
      samplesPerS: t.exposeFloat('samplesPerS', { nullable: true, description: 'Measured by the runner.' }),
      hostedCallId: text('hostedCallId', 'The hosted call that executes it.'),
      dispatchedAt: time('dispatchedAt', 'When that call was made.'),
      error: text('error', 'Why it failed.'),
      createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was submitted or imported.' }),
      startedAt: time('startedAt', 'When it was first claimed.'),
      finishedAt: time('finishedAt', 'When it ended.'),
      displayName: t.exposeString('displayName', {
        description: 'What to call it, before and after it has an output repo.',
      }),
      displayNameSource: t.expose('displayNameSource', {
        type: DisplayNameSourceEnum,
        description: 'Where that is from.',
      }),
      progress: t.expose('progress', { type: ProgressType, nullable: true, description: 'How far it has come.' }),
      spend: t.expose('spend', { type: SpendType, ...nullInV1, description: 'What it costs.' }),
      round: t.field({
        type: RoundType,
        nullable: true,
        description: 'The round of a campaign that owns it, where visible; this hub has no campaigns.',
        resolve: () => null,
      }),
      sparkline: t.expose('sparkline', {
        type: SparklineType,
        nullable: true,
        description: 'Its reward in little; null until a metrics line carries one.',
      }),
      warnings: t.stringList({
        description:
          'Parts of its recipe that take effect only with further setup, such as a gate that needs a runner with a battery.',
        resolve: (run) => warningsOf(run),
      }),
      datasets: t.expose('datasets', { type: [PinnedDatasetType], description: "The recipe's datasets, pinned." }),
    }
  },
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
  description: 'A run by id; null where it does not exist or is not visible to the caller.',
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
        description: 'Counts over everything visible; computed only when selected.',
        resolve: (_page, _args, ctx) => runFacets(ctx),
      }),
    }),
  },
  { name: 'RunEdge', description: 'A run and its cursor.' },
)

query('runs', {
  type: RunConnection,
  description:
    'Runs that the caller created or whose owner the caller is of, newest first. Every filter narrows. A runner finds work with `status: QUEUED, executor: WORKER`.',
  scope: 'key:read',
  args: args((t) => ({
    ...t.connectionArgs(),
    status: t.field({ type: JobStatusEnum, description: 'Only in this state.' }),
    executor: t.field({ type: RunExecutorEnum, description: 'Only executed so.' }),
    owner: t.string({
      ...rule(z.string().max(256)),
      description: 'Only billed to this account; an unknown handle is an empty page.',
    }),
    kind: t.field({ type: RunKindEnum, description: 'Only this kind.' }),
    robot: t.string({
      ...rule(z.string().max(129)),
      description: 'Only those whose recipe names this robot, letter case aside.',
    }),
    gated: t.boolean({ description: 'Only with a scorecard that has passed or failed rows, or only without.' }),
    parentRunId: t.id({ ...rule(z.string().max(64)), description: 'Only direct forks of this run.' }),
  })),
  read: async (ctx, args) => {
    const input = { ...args, ...forwardArgs(args, MAX_PAGE_SIZE) }
    return new Connection(await listRuns(ctx, input), Boolean(input.after))
  },
})
