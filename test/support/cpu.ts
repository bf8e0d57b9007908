/** CPU time, which is meaningful on a busy machine: the time of other processes does not count. */

/** Milliseconds of processor that this thread has spent since. */
export function cpuStopwatch(): () => number {
  const start = process.threadCpuUsage()
  return () => {
    const { user, system } = process.threadCpuUsage(start)
    return (user + system) / 1000
  }
}

/** How many times as long as on an idle machine things take now: wall time of 50 ms of work. 1 at least. */
export function busyFactor(): number {
  const spent = cpuStopwatch()
  const begin = performance.now()
  while (spent() < 50);
  return Math.max(1, (performance.now() - begin) / 50)
}
