/** The source of the subscription `repoUpdated`: the repo as it stands, again after each change. */
import { currentViewer } from '../auth/current-viewer.ts'
import { seenBy } from '../auth/event-viewer.ts'
import type { RequestContext } from '../operation/context.ts'
import { notFound } from '../platform/errors.ts'
import { isId } from '../platform/ids.ts'
import { getReposById } from './get-repo.ts'
import type { Repo } from './repo-shape.ts'

/**
 * Yields the repo at once and after every change of its settings, meta or files; changes that fall together may yield once. Ends when it is deleted
 * or no longer visible to the caller, who is checked again each time; so does a stream whose credential has ended. 404 where it is not visible to begin with.
 */
export async function* watchRepo(ctx: RequestContext, repoId: string): AsyncGenerator<Repo> {
  if (!isId('repo', repoId)) throw notFound(`The repo ${repoId.slice(0, 64)}`)
  let last: string | null = null
  for await (const _hint of ctx.deps.events.watch(repoId, ctx.signal)) {
    const repo = await repoNow(ctx, repoId, last === null)
    if (!repo && last === null) throw notFound(`The repo ${repoId}`)
    if (!repo) return
    const now = JSON.stringify(repo)
    if (now === last) continue
    last = now
    yield repo
  }
}

/** Keys are revoked and people leave orgs while a stream is open: after the first look, the request's own check is too old. */
async function repoNow(ctx: RequestContext, repoId: string, isFirst: boolean): Promise<Repo | null> {
  const viewer = isFirst ? ctx.viewer : await currentViewer(ctx.deps.db, ctx.viewer)
  if (viewer === null) return null
  const [repo] = await getReposById(ctx.deps.db, viewer, [repoId], { cards: true })
  return repo ? seenBy(viewer, repo) : null
}
