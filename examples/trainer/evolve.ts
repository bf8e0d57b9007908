/** Evolution strategy: mirrored noise around the parameters, ranked by reward, and Adam on the estimated gradient (Salimans et al., 2017). */

/** A seeded random number generator in [0, 1) (mulberry32). */
export function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Normally distributed random numbers (Box-Muller). */
export const gaussian = (next: () => number) => () =>
  Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())

export interface Evolution {
  readonly parameters: Float64Array
  /** One step; returns the mean reward of the population. */
  iterate(reward: (parameters: Float64Array) => number): number
}

export interface EvolutionOptions {
  /** Pairs of mirrored candidates. */
  readonly pairs: number
  readonly sigma: number
  readonly learningRate: number
  readonly noise: () => number
}

/** Improves `parameters` in place. */
export function evolution(
  parameters: Float64Array,
  { pairs, sigma, learningRate, noise }: EvolutionOptions,
): Evolution {
  const count = parameters.length
  const [first, second] = [new Float64Array(count), new Float64Array(count)]
  const candidate = new Float64Array(count)
  let steps = 0
  return {
    parameters,
    iterate(reward) {
      const directions = Array.from({ length: pairs }, () => Float64Array.from({ length: count }, noise))
      const rewards = directions.flatMap((direction) =>
        [1, -1].map((sign) => {
          for (let at = 0; at < count; at += 1)
            candidate[at] = (parameters[at] as number) + sign * sigma * (direction[at] as number)
          return reward(candidate)
        }),
      )
      const weights = ranked(rewards)
      steps += 1
      for (let at = 0; at < count; at += 1) {
        let slope = 0
        directions.forEach((direction, pair) => {
          slope += ((weights[2 * pair] as number) - (weights[2 * pair + 1] as number)) * (direction[at] as number)
        })
        slope /= 2 * pairs * sigma
        const mean = 0.9 * (first[at] as number) + 0.1 * slope
        const square = 0.999 * (second[at] as number) + 0.001 * slope * slope
        first[at] = mean
        second[at] = square
        const corrected = mean / (1 - 0.9 ** steps)
        parameters[at] =
          (parameters[at] as number) + (learningRate * corrected) / (Math.sqrt(square / (1 - 0.999 ** steps)) + 1e-8)
      }
      return rewards.reduce((sum, each) => sum + each, 0) / rewards.length
    },
  }
}

/** Ranks from -0.5 to 0.5 instead of rewards, so that outliers do not dominate. */
function ranked(rewards: readonly number[]): number[] {
  const order = rewards.map((reward, index) => ({ reward, index })).sort((a, b) => a.reward - b.reward)
  const weights: number[] = Array.from({ length: rewards.length }, () => 0)
  order.forEach(({ index }, rank) => {
    weights[index] = rank / (rewards.length - 1) - 0.5
  })
  return weights
}
