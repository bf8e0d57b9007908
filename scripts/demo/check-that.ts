/** Throws where a step of the demo did something else than it should. */
export function check(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise)
}
