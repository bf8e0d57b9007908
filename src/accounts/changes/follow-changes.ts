/**
 * The source of the subscriptions to an account's lists: streams what has changed for as long as the caller belongs to
 * the account. Contract, "Subscriptions".
 */
import { readAsNow } from '../../auth/current-viewer.ts'
import { seenBy } from '../../auth/event-viewer.ts'
import { assertLevel, assertMember, assertNotJob } from '../../auth/policy.ts'
import type { RequestContext, Viewer } from '../../operation/context.ts'
import { findAccount } from '../find-account.ts'
import { ChangePass } from './change-pass.ts'
import { type ChangeKind, changeCursor, readChangeCursor, tooOld } from './change-position.ts'
import type { ChangedThing, ChangePage } from './read-changes.ts'
import { sameEvent } from './same-event.ts'
import type { ChangedList } from './shared-changes.ts'

export interface ChangeEvent<T> {
  /** The changed things in their current state. */
  readonly nodes: readonly T[]
  /** Ids of deleted things. */
  readonly removedIds: readonly string[]
  /** Where a later subscription continues, as its `after`. */
  readonly cursor: string
}

export interface FollowChangesInput {
  /** Handle of the account. */
  readonly owner: string
  readonly after?: string | null
}

/**
 * Keys are revoked and people leave orgs while a stream is open: the caller is checked for each event, and this often
 * while there are none.
 */
const RECHECK_MS = 30_000

/**
 * The first event is sent at once. It contains what has changed since `after`, or nothing without `after`: a list that
 * the client reads after this event misses no change if the later events are applied to it. Each later event has the
 * changes of about 200 ms, at most 50 things. The stream ends when the credential ends or the caller leaves the
 * account. Errors before the first event: 401, 403 for a caller outside the account and for keys of hosted jobs, 404,
 * 422 for a cursor of another list or one that is older than 23 hours.
 */
export async function followChanges<T>(
  ctx: RequestContext,
  list: ChangedList<T>,
  { owner, after }: FollowChangesInput,
): Promise<AsyncGenerator<ChangeEvent<T>>> {
  const viewer = assertLevel(ctx.viewer, 'read')
  assertNotJob(viewer, "follow an account's lists")
  const { id: ownerId } = assertedMember(viewer, await findAccount(ctx.deps.db, owner))
  const start = after ? readChangeCursor(ownerId, list.kind, after, Date.now()) : null
  const first = await ctx.deps.changes.page({ ownerId, kind: list.kind, after: start })
  // The cursor is of another database server, whose transactions had higher numbers.
  if (start && start.xid > first.horizon) throw tooOld()
  return following({ ctx, list, ownerId, pass: new ChangePass(start), first })
}

function assertedMember<Owner extends { readonly id: string; readonly handle: string }>(viewer: Viewer, owner: Owner) {
  assertMember(viewer, owner)
  return owner
}

async function* following<T>({
  ctx,
  list,
  ownerId,
  pass,
  first,
}: {
  readonly ctx: RequestContext
  readonly list: ChangedList<T>
  readonly ownerId: string
  readonly pass: ChangePass
  readonly first: ChangePage
}): AsyncGenerator<ChangeEvent<T>> {
  let { viewer } = ctx
  const opening = await eventOf({ ctx, viewer, list, ownerId, pass, things: pass.take(first) })
  if (!opening) return
  viewer = opening.viewer
  yield opening.found
  let checkAt = performance.now() + RECHECK_MS
  for await (const _hint of ctx.deps.events.watch(`${list.wokenBy}_*`, ctx.signal)) {
    if (!pass.hasMore) await ctx.deps.changes.gathered()
    do {
      if (ctx.signal.aborted) return
      const things = pass.take(await pageNow(ctx, list.kind, ownerId, pass))
      if (things.length === 0 && performance.now() < checkAt) continue
      const seen = await eventOf({ ctx, viewer, list, ownerId, pass, things })
      if (!seen) return
      checkAt = performance.now() + RECHECK_MS
      viewer = seen.viewer
      const event = seen.found
      if (event.nodes.length + event.removedIds.length > 0) yield event
    } while (pass.hasMore)
  }
}

/** The event for these things, as the caller may see them now; null if the caller may no longer follow the account. */
async function eventOf<T>({
  ctx: { deps },
  viewer: last,
  list,
  ownerId,
  pass: { position },
  things,
}: {
  readonly ctx: RequestContext
  /** The caller as of the event before. */
  readonly viewer: Viewer
  readonly list: ChangedList<T>
  readonly ownerId: string
  readonly pass: ChangePass
  readonly things: readonly ChangedThing[]
}): Promise<{ readonly viewer: Viewer; readonly found: ChangeEvent<T> } | null> {
  if (!position) return null
  const [gone, there] = [things.filter(({ deleted }) => deleted), things.filter(({ deleted }) => !deleted)]
  const ids = there.map(({ thingId }) => thingId)
  const seen = await readAsNow(deps.db, last, async (viewer): Promise<ChangeEvent<T> | null> => {
    if (viewer.kind === 'anonymous' || !viewer.accountIds.includes(ownerId)) return null
    return {
      nodes: ids.length === 0 ? [] : await deps.changes.things(list, ownerId, viewer, ids),
      removedIds: gone.filter((thing) => list.saw?.(thing, ownerId, viewer)).map(({ thingId }) => thingId),
      cursor: changeCursor(ownerId, list.kind, position, Date.now()),
    }
  })
  if (!seen) return null
  const event = sameEvent(seen.viewer, [list.kind, ownerId, position], seen.found)
  return { viewer: seen.viewer, found: seenBy(seen.viewer, event) }
}

/** A brief database outage does not end a stream: the next hint or poll catches up. */
async function pageNow(
  { deps }: RequestContext,
  kind: ChangeKind,
  ownerId: string,
  { next }: ChangePass,
): Promise<ChangePage> {
  try {
    return await deps.changes.page({ ownerId, kind, after: next })
  } catch (error) {
    deps.log.warn({ err: error, account: ownerId }, 'polling the changes of an account failed')
    return { things: [], hasMore: false, horizon: next?.xid ?? 0 }
  }
}
