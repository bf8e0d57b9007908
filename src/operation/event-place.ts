/** Where a stream of events goes on after one of them: its cursor, told apart from its fields, which the client may not have selected. */
const places = new WeakMap<object, string>()

/** The event or its result, with its place. */
export function placedAt<Event extends object>(place: string | null, event: Event): Event {
  if (place !== null) places.set(event, place)
  return event
}

/** Null for an event without a place: its stream begins with the current state. */
export function placeOf(event: unknown): string | null {
  return typeof event === 'object' && event !== null ? (places.get(event) ?? null) : null
}
