/** What joins runs to each other and to repos. Every edge shows what the caller sees, and nothing of the rest: null, or an emptier page. */
import type { RequestContext } from '../../src/operation/context.ts'
import { getRunsById } from '../../src/runs/read/get-run.ts'
import { forksOfRuns, type RelatedRunsInput, runsOfRepos } from '../../src/runs/read/related-runs.ts'
import type { Run } from '../../src/runs/read/run-shape.ts'
import { builder, MAX_PAGE_SIZE } from '../builder.ts'
import { Connection, type ConnectionArgs, forwardArgs, nodesOf } from '../connection.ts'
import { RunExecutorEnum } from '../planner/enums.ts'
import { RepoType } from '../repos/repo.ts'
import { repoById, robotByName } from '../repos/repo-edge.ts'
import { ModelMetaType } from '../repos/repo-meta.ts'
import { args } from '../root-field.ts'
import { JobStatusEnum, RunKindEnum } from './enums.ts'
import { RunType } from './run.ts'
import { PinnedDatasetType } from './run-parts.ts'

/** Options of a loadable field that leads to the run of an id: one statement for all of a level. */
const runById = {
  type: RunType,
  nullable: true,
  load: (ids: string[], ctx: RequestContext) => getRunsById(ctx.deps.db, ctx.viewer, ids),
} as const

const RelatedRuns = builder.connectionObject(
  {
    type: RunType,
    name: 'RelatedRunConnection',
    description: 'A page of the runs of something, newest first.',
    fields: (connection) => ({
      nodes: connection.field({ type: [RunType], description: 'The runs.', resolve: nodesOf<Run> }),
    }),
  },
  { name: 'RelatedRunEdge', description: 'A run and its cursor.' },
)

const relatedRunArgs = args((t) => ({
  ...t.connectionArgs(),
  status: t.field({ type: JobStatusEnum, description: 'Only in this state.' }),
  executor: t.field({ type: RunExecutorEnum, description: 'Only executed so.' }),
  kind: t.field({ type: RunKindEnum, description: 'Only this kind.' }),
  gated: t.boolean({ description: 'Only with a scorecard that has passed or failed rows, or only without.' }),
}))

type Load = typeof forksOfRuns

/** Pages of several parents by the same arguments. */
const pagesBy =
  (load: Load) =>
  async (ids: string[], ctx: RequestContext, given: ConnectionArgs & Omit<RelatedRunsInput, 'first' | 'after'>) => {
    const input = { ...given, ...forwardArgs(given, MAX_PAGE_SIZE) }
    const pages = await load(ctx, ids, input)
    return pages.map((page) => new Connection(page, Boolean(input.after)))
  }

builder.objectFields(RunType, (t) => ({
  parent: t.loadable({
    ...runById,
    description: 'The run that it goes on from, where the caller sees it.',
    resolve: (run) => run.parentRunId,
  }),
  forks: t.loadable({
    type: RelatedRuns,
    byPath: true,
    description: 'The runs that go on from it, of those that the caller sees. Two statements for any number of runs.',
    args: relatedRunArgs,
    resolve: (run) => run.id,
    load: pagesBy(forksOfRuns),
  }),
  robotRepo: t.loadable({
    ...robotByName,
    description: 'The robot repo that its recipe names, where there is one that the caller sees.',
    resolve: ({ recipe: { robot } }) => (typeof robot === 'string' ? robot : null),
  }),
  outputModelRepo: t.loadable({
    ...repoById,
    description: 'The model repo that it makes, where the caller sees it.',
    resolve: (run) => run.outputModelRepo?.id,
  }),
}))

builder.objectField(PinnedDatasetType, 'repo', (t) =>
  t.loadable({
    ...repoById,
    description: 'The repo of a dataset of this hub as it is now, where the caller sees it.',
    resolve: ({ repoId }) => repoId,
  }),
)

builder.objectField(RepoType, 'runs', (t) =>
  t.loadable({
    type: RelatedRuns,
    byPath: true,
    description:
      'The runs that train on it, for it or into it, of those that the caller sees. Two statements for any number of repos.',
    args: relatedRunArgs,
    resolve: (repo) => repo.id,
    load: pagesBy(runsOfRepos),
  }),
)

builder.objectField(ModelMetaType, 'run', (t) =>
  t.loadable({
    ...runById,
    description: 'The run that made it, where the caller sees it.',
    resolve: (meta) => meta.sourceRunId,
  }),
)
