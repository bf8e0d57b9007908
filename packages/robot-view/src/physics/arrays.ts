/** Arrays of the engine as plain ones: a view of its memory is void as soon as that grows. */

export const numbers = (values: Iterable<number>): number[] => [...values]

/** The pair at a place of a list of pairs. */
export const pair = (values: readonly number[], at: number): readonly [number, number] => [
  values[2 * at] ?? 0,
  values[2 * at + 1] ?? 0,
]

/**
 * Which pairs of a list are ranges: MuJoCo's own rule (`autolimits`) for limited objects, unless the model sets it
 * explicitly.
 */
export function rangesGiven(values: readonly number[]): boolean[] {
  return Array.from({ length: values.length / 2 }, (_, at) => {
    const [lower, upper] = pair(values, at)
    return lower < upper
  })
}
