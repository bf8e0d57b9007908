/**
 * Attaches the current caller to a stream event, so that related data is read for that state of the caller, not for the
 * one at the start of the stream.
 */
import type { Viewer } from '../operation/context.ts'

const viewers = new WeakMap<object, Viewer>()

/** Attaches the caller that the event was checked for, and returns the event. */
export function seenBy<Event extends object>(viewer: Viewer, event: Event): Event {
  viewers.set(event, viewer)
  return event
}

/** The caller that `seenBy` attached to an event; null for an event without one. */
export function viewerOfEvent(event: unknown): Viewer | null {
  return typeof event === 'object' && event !== null ? (viewers.get(event) ?? null) : null
}
