/** Bounded parallelism. */

/** Runs at most `limit` of the given works at a time; the others wait in order. */
export function limiter(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: Array<() => void> = []
  return async (work) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      // The slot is handed over, not freed, so that a newcomer cannot overtake those who wait.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}

/** Calls `work` for each item, at most `limit` at a time; rejects with the first failure, after which no further item is begun. */
export async function forEachLimited<T>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>()
  let failed = false
  for await (const item of items) {
    const one = work(item).finally(() => running.delete(one))
    one.catch(() => {
      failed = true
    })
    running.add(one)
    if (running.size >= limit) await Promise.race(running)
    if (failed) break
  }
  await Promise.all(running)
}

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
