/**
 * Attaches to an event the cursor at which its stream resumes after it. The cursor is kept apart from the event's
 * fields, because the client may not have selected them.
 */
const places = new WeakMap<object, string>()

/** Attaches the place to an event or its result, and returns that object. */
export function placedAt<Event extends object>(place: string | null, event: Event): Event {
  if (place !== null) places.set(event, place)
  return event
}

/** The place of an event; null if it has none, because its stream begins with the current state. */
export function placeOf(event: unknown): string | null {
  return typeof event === 'object' && event !== null ? (places.get(event) ?? null) : null
}
