/** Source of the subscription `repoUpdated`: the current repo, then the repo after each change. */

import { isId } from '@hub/formats/ids'
import { watchChanges } from '../auth/watch-changes.ts'
import type { RequestContext, Viewer } from '../operation/context.ts'
import { notFound } from '../platform/errors.ts'
import { getReposById } from './get-repo.ts'
import type { Repo } from './repo-shape.ts'

/**
 * Sends the repo at once and after every change of its settings, meta or files. Ends when the repo is deleted or
 * hidden. 404 if the repo is not visible at the start.
 */
export async function watchRepo(ctx: RequestContext, repoId: string): Promise<AsyncGenerator<Repo>> {
  const read = async (viewer: Viewer): Promise<Repo | null> => {
    const [repo] = await getReposById(ctx.deps.db, viewer, [repoId], { cards: true })
    return repo ?? null
  }
  const first = isId('repo', repoId) ? await read(ctx.viewer) : null
  if (!first) throw notFound(`The repo ${repoId.slice(0, 64)}`)
  return watchChanges(ctx, first, { name: 'repo', read, textOf: JSON.stringify, isOver: () => false })
}
