/**
 * Shared by subscriptions to a single object: its current state, again after each change, while the caller may see it.
 */
import type { RequestContext, Viewer } from '../operation/context.ts'
import { readAsNow } from './current-viewer.ts'
import { seenBy } from './event-viewer.ts'
import { readTogether } from './read-together.ts'

export interface Watched<T> {
  /** What is read of the object, so that streams of one caller read it once: no other has this name. */
  readonly name: string
  /** The object as this viewer sees it now; null if deleted or invisible. */
  readonly read: (viewer: Viewer) => Promise<T | null>
  /** Version text; equal texts mean no change. */
  readonly textOf: (thing: T) => string
  /** Whether the state is final. */
  readonly isOver: (thing: T) => boolean
}

/**
 * Yields `first`, then the result of `read` after every change; changes close together may be merged. Ends when the
 * object is final, deleted or invisible, or the credential is no longer valid. Keys are revoked and people leave orgs
 * while a stream is open, so the caller is looked up again after each change.
 */
export async function* watchChanges<T extends { readonly id: string }>(
  ctx: RequestContext,
  first: T,
  { name, read, textOf, isOver }: Watched<T>,
): AsyncGenerator<T> {
  const { db } = ctx.deps
  const readAs = (as: Viewer) => readTogether(db, `${name} ${first.id} ${JSON.stringify(as)}`, () => read(as))
  yield first
  if (isOver(first)) return
  let last = textOf(first)
  let { viewer } = ctx
  for await (const _hint of ctx.deps.events.watch(first.id, ctx.signal)) {
    const seen = await readAsNow(db, viewer, readAs)
    if (!seen) return
    const thing = seen.found
    viewer = seen.viewer
    const now = textOf(thing)
    if (now === last) continue
    last = now
    yield seenBy(viewer, thing)
    if (isOver(thing)) return
  }
}
