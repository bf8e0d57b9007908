/** Attaches the current caller to a stream event, so that related data is read for that state of the caller, not for the one at the start of the stream. */
import type { Viewer } from '../operation/context.ts'

const viewers = new WeakMap<object, Viewer>()

/** The event, with the caller it was checked for. */
export function seenBy<Event extends object>(viewer: Viewer, event: Event): Event {
  viewers.set(event, viewer)
  return event
}

/** Null for an event without a caller. */
export function viewerOfEvent(event: unknown): Viewer | null {
  return typeof event === 'object' && event !== null ? (viewers.get(event) ?? null) : null
}
