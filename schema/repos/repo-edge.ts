/** Edges that lead to repos: one statement for all of a level, and null where the caller does not see the repo. */

import type { RequestContext } from '../../src/operation/context.ts'
import { getReposById, getRobotsByName } from '../../src/repos/get-repo.ts'
import { builder } from '../builder.ts'
import { RepoType } from './repo.ts'
import { ModelMetaType } from './repo-meta.ts'

/** Options of a loadable field that leads to the repo of an id. */
export const repoById = {
  type: RepoType,
  nullable: true,
  load: (ids: string[], ctx: RequestContext) => getReposById(ctx.deps.db, ctx.viewer, ids),
} as const

/** Options of one that leads to the robot repo that a text names. */
export const robotByName = {
  type: RepoType,
  nullable: true,
  load: (texts: string[], ctx: RequestContext) => getRobotsByName(ctx.deps.db, ctx.viewer, texts),
} as const

builder.objectField(ModelMetaType, 'robot', (t) =>
  t.loadable({
    ...robotByName,
    description: 'The robot repo that it drives, where `robotName` is the name of one that the caller sees.',
    resolve: (meta) => meta.robot,
  }),
)
