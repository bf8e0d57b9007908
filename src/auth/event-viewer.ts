/** Who an event of a stream was read for: what else is shown beside it is read for the same caller, not for the one of an hour ago. */
import type { Viewer } from '../operation/context.ts'

const viewers = new WeakMap<object, Viewer>()

/** The event, with the caller that it was found to be visible to. */
export function seenBy<Event extends object>(viewer: Viewer, event: Event): Event {
  viewers.set(event, viewer)
  return event
}

/** Null for an event that says nothing of it. */
export function viewerOfEvent(event: unknown): Viewer | null {
  return typeof event === 'object' && event !== null ? (viewers.get(event) ?? null) : null
}
