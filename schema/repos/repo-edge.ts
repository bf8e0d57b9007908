/** Edges to repos: one statement per level of the query, null if the repo is not visible to the caller. */

import type { RequestContext } from '../../src/operation/context.ts'
import { getReposById, getRobots } from '../../src/repos/get-repo.ts'
import { builder } from '../builder.ts'
import { RepoType } from './repo.ts'
import { DatasetMetaType, ModelMetaType } from './repo-meta.ts'

/** Options of a loadable field that resolves a repo id to the repo. */
export const repoById = {
  type: RepoType,
  nullable: true,
  load: (ids: string[], ctx: RequestContext) => getReposById(ctx.deps.db, ctx.viewer, ids),
} as const

/** Options of a loadable field that resolves the id of a robot, or its name, to the repo. */
export const robotMeant = {
  type: RepoType,
  nullable: true,
  load: (keys: string[], ctx: RequestContext) => getRobots(ctx.deps.db, ctx.viewer, keys),
} as const

/** What `robotMeant` resolves: the robot that was kept next to the name, else the one that has the name now. */
export const robotKey = (robotRepoId: string | null, name: unknown): string | null =>
  robotRepoId ?? (typeof name === 'string' && name.includes('/') ? name : null)

builder.objectField(ModelMetaType, 'robot', (t) =>
  t.loadable({
    ...robotMeant,
    description:
      'The robot repo that `robotName` names; null if there is none that is visible to the caller. Of a robot ' +
      'that was deleted only the name is left, even if another repo has it now.',
    resolve: (meta) => robotKey(meta.robotRepoId, meta.robot),
  }),
)

builder.objectField(DatasetMetaType, 'robot', (t) =>
  t.loadable({
    ...robotMeant,
    description:
      'The robot repo that `robotType` names, where it is a full name (`owner/slug`); null if there is none that is ' +
      'visible to the caller. One statement for any number of datasets.',
    resolve: (meta) => robotKey(null, meta.robotType),
  }),
)
