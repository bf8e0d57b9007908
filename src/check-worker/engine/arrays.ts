/** Arrays of the engine as plain ones: a view of its memory is void as soon as that grows. */

export const numbers = (values: Iterable<number>): number[] => [...values]

/** The pair at a place of a list of pairs. */
export const pair = (values: readonly number[], at: number): readonly [number, number] => [
  values[2 * at] ?? 0,
  values[2 * at + 1] ?? 0,
]
