/** What subscriptions to one thing have in common: the thing as it stands, again after each change, while its caller may see it. */
import type { RequestContext, Viewer } from '../operation/context.ts'
import { currentViewer } from './current-viewer.ts'
import { seenBy } from './event-viewer.ts'

export interface Watched<T> {
  /** The thing as this viewer sees it now; null when it is gone or hidden. */
  readonly read: (viewer: Viewer) => Promise<T | null>
  /** What counts as a change: two equal texts are no news. */
  readonly textOf: (thing: T) => string
  /** Nothing changes any more. */
  readonly isOver: (thing: T) => boolean
}

/**
 * `first` at once, and what `read` finds after every change; changes that fall together may be one. Ends when it is over, gone or hidden, or the credential has
 * ended: keys are revoked and people leave orgs while a stream is open, so the caller is looked up again each time.
 */
export async function* watchChanges<T extends { readonly id: string }>(
  ctx: RequestContext,
  first: T,
  { read, textOf, isOver }: Watched<T>,
): AsyncGenerator<T> {
  yield first
  if (isOver(first)) return
  let last = textOf(first)
  for await (const _hint of ctx.deps.events.watch(first.id, ctx.signal)) {
    const viewer = await currentViewer(ctx.deps.db, ctx.viewer)
    const thing = viewer && (await read(viewer))
    if (!viewer || !thing) return
    const now = textOf(thing)
    if (now === last) continue
    last = now
    yield seenBy(viewer, thing)
    if (isOver(thing)) return
  }
}
