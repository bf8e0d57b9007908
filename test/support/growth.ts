/** How work grows with its input, in CPU time of this thread: other processes of a busy machine do not count. */

/** Each size is measured so often; what disturbs one time disturbs no best of several. */
const ROUNDS = 3

/**
 * How many times as much CPU time `work` takes for input of `n` as for input of `n / factor`: about `factor` where it is linear, its square where it is
 * quadratic. Input is made outside the measured time.
 */
export function growthOf<Input>(make: (n: number) => Input, work: (input: Input) => unknown, n: number, factor = 8) {
  const [small, large] = [make(Math.round(n / factor)), make(n)]
  // Small inputs are worked on several times over, so that the clock's own grain and the first run of the code count for little.
  const bestOf = (input: Input, times: number) => {
    let best = Number.POSITIVE_INFINITY
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = process.threadCpuUsage()
      for (let time = 0; time < times; time += 1) work(input)
      const { user, system } = process.threadCpuUsage(before)
      best = Math.min(best, (user + system) / times)
    }
    return best
  }
  work(small)
  return bestOf(large, 1) / Math.max(1, bestOf(small, factor))
}

/** Half way, by ratio, between linear and quadratic for the factor of 8: what is below is not quadratic, however noisy the machine. */
export const BELOW_QUADRATIC = 8 ** 1.5
