/** What goes into one request. */

/** Cuts a list into runs of at most `count` items and at most `weight` in sum; a single heavier item is a run of its own. */
export function* runs<T>(
  items: Iterable<T>,
  count: number,
  weight = Number.POSITIVE_INFINITY,
  weigh: (item: T) => number = () => 0,
): Generator<T[]> {
  let run: T[] = []
  let sum = 0
  for (const item of items) {
    const one = weigh(item)
    if (run.length > 0 && (run.length >= count || sum + one > weight)) {
      yield run
      run = []
      sum = 0
    }
    run.push(item)
    sum += one
  }
  if (run.length > 0) yield run
}
