/** CPU time, which is meaningful on a busy machine: the time of other processes does not count. */

/** Milliseconds of processor that this thread has spent since. */
export function cpuStopwatch(): () => number {
  const start = process.threadCpuUsage()
  return () => {
    const { user, system } = process.threadCpuUsage(start)
    return (user + system) / 1000
  }
}

const TRIES = 3

/**
 * Milliseconds of processor that `work` takes, at the best of three tries: a neighbor on the machine's cores and caches makes any one of them twice as
 * long, and none ten times. Ends with the first try below `limitMs`.
 */
export async function cpuWithin(limitMs: number, work: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let tried = 0; tried < TRIES && least >= limitMs; tried += 1) {
    const spentMs = cpuStopwatch()
    await work()
    least = Math.min(least, spentMs())
  }
  return least
}
