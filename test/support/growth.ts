/** How work grows with its input, in CPU time of this thread: other processes of a busy machine do not count. */

/** Each size is measured so often; what disturbs one time disturbs no best of several. */
const ROUNDS = 3

const FACTOR = 16
const LEAST_US = 30_000

/** How many times as much CPU time `work` takes for input of `n` as for a sixteenth of it: 16 where it is linear, 256 where it is quadratic. Input is made before. */
export function growthOf<Input>(make: (n: number) => Input, work: (input: Input) => unknown, n: number) {
  const factor = FACTOR
  const [small, large] = [make(Math.round(n / factor)), make(n)]
  const cpuOf = (input: Input, times: number) => {
    const before = process.threadCpuUsage()
    for (let time = 0; time < times; time += 1) work(input)
    const { user, system } = process.threadCpuUsage(before)
    return user + system
  }
  // The first runs of code are slow, and the clock of a thread may go by steps of some milliseconds.
  const timesOf = (input: Input) => {
    let times = 1
    while (cpuOf(input, times) < LEAST_US) times *= 2
    return times
  }
  const sizes = [small, large].map((input) => ({ input, times: timesOf(input), best: Number.POSITIVE_INFINITY }))
  // By turns: a machine that slows down slows both sizes.
  for (let round = 0; round < ROUNDS; round += 1)
    for (const size of sizes) {
      let us = 0
      // The clock of a thread may stand still for a round; that says nothing.
      while (us === 0) us = cpuOf(size.input, size.times)
      size.best = Math.min(size.best, us / size.times)
    }
  const [least, most] = sizes.map(({ best }) => best)
  return (most as number) / (least as number)
}

/** Linear work may take some times as long for each piece once it has outgrown caches and young memory; it never takes eight times as long. */
export const BELOW_QUADRATIC = 8 * FACTOR
