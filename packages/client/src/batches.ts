/** Splitting lists into request-sized batches. */

/**
 * Splits a list into batches of at most `count` items and `weight` total weight; a heavier single item gets a batch of
 * its own.
 */
export function* batchesOf<T>(
  items: Iterable<T>,
  count: number,
  weight = Number.POSITIVE_INFINITY,
  weigh: (item: T) => number = () => 0,
): Generator<T[]> {
  let batch: T[] = []
  let sum = 0
  for (const item of items) {
    const one = weigh(item)
    if (batch.length > 0 && (batch.length >= count || sum + one > weight)) {
      yield batch
      batch = []
      sum = 0
    }
    batch.push(item)
    sum += one
  }
  if (batch.length > 0) yield batch
}
