/** Edges to repos: one statement per level of the query, null if the repo is not visible to the caller. */

import type { RequestContext } from '../../src/operation/context.ts'
import { getReposById, getRobotsByName } from '../../src/repos/get-repo.ts'
import { builder } from '../builder.ts'
import { RepoType } from './repo.ts'
import { ModelMetaType } from './repo-meta.ts'

/** Options of a loadable field that resolves a repo id to the repo. */
export const repoById = {
  type: RepoType,
  nullable: true,
  load: (ids: string[], ctx: RequestContext) => getReposById(ctx.deps.db, ctx.viewer, ids),
} as const

/** Options of a loadable field that resolves a robot name to its repo. */
export const robotByName = {
  type: RepoType,
  nullable: true,
  load: (texts: string[], ctx: RequestContext) => getRobotsByName(ctx.deps.db, ctx.viewer, texts),
} as const

builder.objectField(ModelMetaType, 'robot', (t) =>
  t.loadable({
    ...robotByName,
    description: 'The robot repo that `robotName` names; null if there is none that is visible to the caller.',
    resolve: (meta) => meta.robot,
  }),
)
