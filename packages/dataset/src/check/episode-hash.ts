/** Whether two episodes have the same numbers. */
import type { EpisodeRows } from './episode-rows.ts'

/** They differ between copies of an episode. */
const counters = /^(timestamp|frame_index|episode_index|index|task_index)$/

/** 64 bits of the states and actions of an episode, in hexadecimal; null where it has none. */
export function episodeHash({ columns, frames }: EpisodeRows): string | null {
  const compared = [...columns.values()].filter(({ feature }) => !counters.test(feature.name))
  if (frames === 0 || compared.length === 0) return null
  // FNV-1a with two primes: equal rows are compared, and no person makes them differ on purpose.
  let [a, b] = [0x811c9dc5, 0x9747b28c ^ frames]
  for (const { values } of compared) {
    for (const word of new Uint32Array(values.buffer, values.byteOffset, values.length * 2)) {
      a = Math.imul(a ^ word, 0x01000193)
      b = Math.imul((b ^ word) + (b >>> 15), 0x85ebca6b)
    }
  }
  return [a, b].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('')
}
