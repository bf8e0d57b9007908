/**
 * Edges between runs, and between runs and repos. Objects that are not visible to the caller are null, or missing from
 * a page.
 */
import type { RequestContext } from '../../src/operation/context.ts'
import { getRunsById } from '../../src/runs/read/get-run.ts'
import { forksOfRuns, runsOfAccounts, runsOfRepos } from '../../src/runs/read/related-runs.ts'
import type { Run } from '../../src/runs/read/run-shape.ts'
import { Account } from '../accounts/account.ts'
import { builder } from '../builder.ts'
import { nodesOf, pageArgs } from '../connection.ts'
import { RepoCommitType } from '../files/commits.ts'
import { RepoStateType } from '../files/state.ts'
import { RepoChangeType, RepoSnapshotType } from '../files/versions.ts'
import { RunExecutorEnum } from '../planner/enums.ts'
import { relatedPages } from '../related-pages.ts'
import { RepoType } from '../repos/repo.ts'
import { repoById, robotKey, robotMeant } from '../repos/repo-edge.ts'
import { ModelMetaType } from '../repos/repo-meta.ts'
import { args } from '../root-field.ts'
import { JobStatusEnum, RunKindEnum } from './enums.ts'
import { RunType } from './run.ts'
import { PinnedDatasetType } from './run-parts.ts'

/** Options of a loadable field that resolves a run id to the run: one statement per level of the query. */
const runById = {
  type: RunType,
  nullable: true,
  load: (ids: string[], ctx: RequestContext) => getRunsById(ctx.deps.db, ctx.viewer, ids),
} as const

export const RelatedRuns = builder.connectionObject(
  {
    type: RunType,
    name: 'RelatedRunConnection',
    description: 'A page of related runs, newest first.',
    fields: (connection) => ({
      nodes: connection.field({ type: [RunType], description: 'The runs.', resolve: nodesOf<Run> }),
    }),
  },
  { name: 'RelatedRunEdge', description: 'A run and its cursor.' },
)

export const relatedRunArgs = args((t) => ({
  ...pageArgs(t),
  status: t.field({ type: JobStatusEnum, description: 'Only runs with this status.' }),
  executor: t.field({ type: RunExecutorEnum, description: 'Only runs with this executor.' }),
  kind: t.field({ type: RunKindEnum, description: 'Only this kind.' }),
  gated: t.boolean({
    description: 'True: only runs whose scorecard has passed or failed rows; false: only the others.',
  }),
}))

builder.objectFields(RunType, (t) => ({
  parent: t.loadable({
    ...runById,
    description: 'The parent run; null if there is none or it is not visible to the caller.',
    resolve: (run) => run.parentRunId,
  }),
  forks: t.loadable({
    type: RelatedRuns,
    byPath: true,
    description: 'Forks of this run that are visible to the caller. Two statements for any number of runs.',
    args: relatedRunArgs,
    resolve: (run) => run.id,
    load: relatedPages(forksOfRuns),
  }),
  robotRepo: t.loadable({
    ...robotMeant,
    description:
      'The robot repo that its recipe names; null if there is none or it is not visible to the caller. Of a ' +
      'robot that was deleted only the name is left, even if another repo has it now.',
    resolve: ({ robotRepoId, recipe: { robot } }) => robotKey(robotRepoId, robot),
  }),
  outputModelRepo: t.loadable({
    ...repoById,
    description: 'The model repo it publishes to; null if there is none or it is not visible to the caller.',
    resolve: (run) => run.outputModelRepo?.id,
  }),
}))

builder.objectField(PinnedDatasetType, 'repo', (t) =>
  t.loadable({
    ...repoById,
    description: 'The current repo of a dataset on this hub; null if it is not visible to the caller.',
    resolve: ({ repoId }) => repoId,
  }),
)

builder.objectFields(RepoType, (t) => ({
  runs: t.loadable({
    type: RelatedRuns,
    byPath: true,
    description:
      'Runs visible to the caller that use the repo as dataset, robot or output. Two statements for any number ' +
      'of repos.',
    args: relatedRunArgs,
    resolve: (repo) => repo.id,
    load: relatedPages(runsOfRepos),
  }),
  latestRun: t.loadable({
    type: RunType,
    nullable: true,
    byPath: true,
    description: 'The newest of `runs`; null if there is none. Two statements for any number of repos.',
    args: args((t) => ({ status: t.field({ type: JobStatusEnum, description: 'The newest with this status.' }) })),
    resolve: (repo) => repo.id,
    load: async (ids: string[], ctx: RequestContext, { status }) => {
      const pages = await runsOfRepos(ctx, ids, { status, first: 1 })
      return pages.map(({ nodes }) => nodes[0] ?? null)
    },
  }),
}))

builder.objectField(Account, 'runs', (t) =>
  t.loadable({
    type: RelatedRuns,
    byPath: true,
    description:
      'Runs billed to the account that are visible to the caller, newest first: all of them for its user or ' +
      'members. Two statements for any number of accounts.',
    args: relatedRunArgs,
    resolve: (account) => account.id,
    load: relatedPages(runsOfAccounts),
  }),
)

builder.objectField(ModelMetaType, 'run', (t) =>
  t.loadable({
    ...runById,
    description: 'The run that produced it; null if there is none or it is not visible to the caller.',
    resolve: (meta) => meta.sourceRunId,
  }),
)

const madeByRun = {
  ...runById,
  description:
    'The run that made it. Null for every other version, for one from before this was recorded, and if the run is ' +
    'deleted or not visible to the caller.',
  resolve: ({ runId }: { readonly runId: string | null }) => runId,
} as const

builder.objectField(RepoCommitType, 'run', (t) => t.loadable(madeByRun))
builder.objectField(RepoChangeType, 'run', (t) => t.loadable(madeByRun))
builder.objectField(RepoStateType, 'run', (t) => t.loadable(madeByRun))
builder.objectField(RepoSnapshotType, 'run', (t) => t.loadable(madeByRun))
