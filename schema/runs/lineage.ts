/** Where a run's data and a model come from, and which runs make use of a repo. Contract, "Lineage". */
import { type Pin, pinnedStates } from '../../src/files/versions/pinned-states.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import { producersOfRepos, runsUsingRepos } from '../../src/runs/read/lineage.ts'
import { builder } from '../builder.ts'
import { RepoStateType } from '../files/state.ts'
import { relatedPages } from '../related-pages.ts'
import { RepoType } from '../repos/repo.ts'
import { RepoUsageType } from '../repos/usage.ts'
import { args } from '../root-field.ts'
import { wordEnum } from '../word-enum.ts'
import { RelatedRuns, relatedRunArgs } from './run-edges.ts'
import { PinnedDatasetType } from './run-parts.ts'

builder.objectField(PinnedDatasetType, 'state', (t) =>
  t.loadable({
    type: RepoStateType,
    nullable: true,
    description:
      'The state that the run pinned, as it can be pulled: `hub pull REPO --at RUN` is this one. Null for a ' +
      'dataset outside this hub, for a repo that the caller does not see, and for a state that is gone. If its ' +
      '`withdrawnCount` is not 0, files of it were purged or rejected since. One statement for any number of ' +
      'runs.',
    resolve: ({ repoId, seq }) => (repoId === null || seq === null ? null : { repoId, seq }),
    load: (pins: Pin[], ctx: RequestContext) => pinnedStates(ctx, pins),
  }),
)

const RunUseEnum = wordEnum('RunUse', 'Role of a repo in a run.', {
  dataset: 'It is a dataset of the recipe, pinned when the run was created.',
  robot: 'It is the robot of the recipe.',
  parent: 'It is a model, and the run is a fork of a run that produced it.',
})

builder.objectField(RepoUsageType, 'runs', (t) =>
  t.loadable({
    type: RelatedRuns,
    byPath: true,
    description:
      'Runs that use the repo as dataset, robot or parent, newest first. A fork is among them if the caller also ' +
      'sees the run that it continues. Two statements for any number of repos.',
    args: args((t) => ({
      ...relatedRunArgs,
      as: t.field({ type: RunUseEnum, description: 'Only runs that use it so.' }),
    })),
    resolve: ({ id }) => id,
    load: relatedPages(runsUsingRepos),
  }),
)

builder.objectField(RepoType, 'producedBy', (t) =>
  t.loadable({
    type: RelatedRuns,
    byPath: true,
    description:
      'Runs that a model repo comes from and that are visible to the caller, newest first: those that publish to ' +
      'it, and the source run of its meta block. Two statements for any number of repos.',
    args: relatedRunArgs,
    resolve: ({ id }) => id,
    load: relatedPages(producersOfRepos),
  }),
)
