/** What a rollout recorded, and a fingerprint of it. Pure. */

export interface EpisodeStep {
  /** Of the model's clock, in s. */
  readonly time: number
  readonly qpos: readonly number[]
  readonly qvel: readonly number[]
  /** Numbers of the policy, raw; none where it could not be asked. */
  readonly action: readonly number[]
  /** Since the step before. */
  readonly reward: number
  /** Whether the condition of success holds. */
  readonly holds: boolean
}

export type Ending = 'reached' | 'missed' | 'failed' | 'diverged'

export interface Outcome {
  readonly seed: number
  readonly success: boolean
  readonly ending: Ending
  readonly return: number
  readonly seconds: number
  readonly steps: number
  /** Of every number of the motion, to the bit. */
  readonly fingerprint: string
  /** A sentence: which number was not finite, of what the policy would see, of its answer, or of a target. */
  readonly reason?: string
}

/** An episode as it is kept in a file. `outcome`: null for one that was stopped on its way. */
export const episodeDocument = (
  task: string,
  seed: number,
  outcome: Outcome | null,
  steps: readonly EpisodeStep[],
) => ({
  version: 1,
  task,
  seed,
  ...outcome,
  episode: steps,
})

/** Takes in numbers one after another: two FNV hashes of 32 bits over their bytes, which differ in their start. */
export function bitsOf() {
  const number = new Float64Array(1)
  const words = new Uint32Array(number.buffer)
  let [one, two] = [0x811c9dc5, 0x9747b28c]
  return {
    add(value: number) {
      number[0] = value
      for (const word of words) {
        one = Math.imul(one ^ word, 0x01000193)
        one ^= one >>> 15
        two = Math.imul(two ^ word, 0x85ebca6b)
        two ^= two >>> 13
      }
    },
    /** 16 hex digits. */
    text: () => [one, two].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join(''),
  }
}
