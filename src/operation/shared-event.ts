/**
 * Events that many subscribers get as one object. Their types read nothing but the event, so one operation answers an
 * event in the same way for all who can see it: the transport executes it once.
 */
const numbers = new WeakMap<object, number>()
let last = 0

/** Marks an event that is the same for every subscriber it is given to, and returns it. */
export function sharedEvent<Event extends object>(event: Event): Event {
  last += 1
  numbers.set(event, last)
  return event
}

/** A number that no other event of the process has; null for an event of one subscriber. */
export function numberOfEvent(event: unknown): number | null {
  return typeof event === 'object' && event !== null ? (numbers.get(event) ?? null) : null
}
