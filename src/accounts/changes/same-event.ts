/** Events of a list that streams of one caller build alike, since the same change woke them: one for all of them. */
import type { Viewer } from '../../operation/context.ts'
import { numberOfEvent, sharedEvent } from '../../operation/shared-event.ts'

/** What sets two events of one list apart. */
interface ListEvent {
  readonly nodes: readonly unknown[]
  readonly removedIds: readonly string[]
}

interface Built {
  readonly from: string
  readonly event: ListEvent
}

/** By the first thing of an event: things are read again for each turn of the event loop, so few events have one. */
const built = new WeakMap<object, readonly Built[]>()

/**
 * The event that another stream built of the very same things, as seen with equal rights at an equal place; this one if
 * there is none. `place` says list, account and position. Its cursor may be some milliseconds older.
 */
export function sameEvent<Event extends ListEvent>(viewer: Viewer, place: unknown, event: Event): Event {
  const [first] = event.nodes
  if (typeof first !== 'object' || first === null) return event
  const others = built.get(first) ?? []
  const from = JSON.stringify([viewer, place, event.removedIds])
  const equal = others.find((other) => other.from === from && hasSameThings(other.event, event))
  if (!equal) {
    built.set(first, [...others, { from, event }])
    return event
  }
  return (numberOfEvent(equal.event) === null ? sharedEvent(equal.event) : equal.event) as Event
}

const hasSameThings = ({ nodes }: ListEvent, other: ListEvent) =>
  nodes.length === other.nodes.length && nodes.every((node, at) => node === other.nodes[at])
