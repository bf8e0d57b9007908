/** How work grows with its input, in CPU time of this thread: other processes of a busy machine do not count. */

/** Each size is measured so often; what disturbs one time disturbs no best of several. */
const ROUNDS = 3

const STEP = 4
const FACTOR = STEP ** 2
const LEAST_US = 30_000

/**
 * How many times as much CPU time `work` takes for input of `n` as for a sixteenth of it: 16 where it is linear, 256
 * where it is quadratic. Input is made before. It is the square of what a quarter of that way takes, the lesser of both:
 * a list that outgrows 128 KiB costs V8 ten times as much for each piece, at one of them alone, and more work than
 * linear grows at both. Small inputs are measured as many together as are as much to read from memory as the large one:
 * a single one stays in the caches of the processor, which others push the large one out of.
 */
export function growthOf<Input>(make: (n: number) => Input, work: (input: Input) => unknown, n: number) {
  const cpuOf = (inputs: readonly Input[], times: number) => {
    const before = process.threadCpuUsage()
    for (let time = 0; time < times; time += 1) for (const input of inputs) work(input)
    const { user, system } = process.threadCpuUsage(before)
    return user + system
  }
  // The first runs of code are slow, and the clock of a thread may go by steps of some milliseconds.
  const timesOf = (inputs: readonly Input[]) => {
    let times = 1
    while (cpuOf(inputs, times) < LEAST_US) times *= 2
    return times
  }
  const sizes = [FACTOR, STEP, 1].map((parts) => {
    const inputs = Array.from({ length: parts }, () => make(Math.round(n / parts)))
    return { inputs, parts, times: timesOf(inputs), best: Number.POSITIVE_INFINITY }
  })
  // By turns: a machine that slows down slows all sizes.
  for (let round = 0; round < ROUNDS; round += 1)
    for (const size of sizes) {
      let us = 0
      // The clock of a thread may stand still for a round; that says nothing.
      while (us === 0) us = cpuOf(size.inputs, size.times)
      size.best = Math.min(size.best, us / size.times / size.parts)
    }
  const [small = 0, quarter = 0, large = 0] = sizes.map(({ best }) => best)
  return Math.min(quarter / small, large / quarter) ** 2
}

/** Linear work may take some times as long for each piece once it has outgrown caches and young memory; it never takes six times as long. */
export const BELOW_QUADRATIC = 6 * FACTOR
