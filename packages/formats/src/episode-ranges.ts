/** Lists of episodes as people write them and as they are kept: `3, 5-9`. Pure. */

/** Of one list: a text of a bad list must not fill memory. */
export const MAX_EPISODES = 1_000_000

/** Episodes that follow each other, from the first to the last of them. */
export type EpisodeRange = readonly [first: number, last: number]

/**
 * The ranges of a list in order, of which none overlaps or touches the next; or what is wrong with the text. They have
 * at most `most` episodes together. A million episodes are one range: where the numbers are not needed, they are not
 * made.
 */
export function readRanges(text: string, most = MAX_EPISODES): readonly EpisodeRange[] | { readonly fault: string } {
  const ranges: EpisodeRange[] = []
  for (const part of text.split(',').map((one) => one.trim())) {
    const [, from, to] = /^(\d{1,9})(?:\s*-\s*(\d{1,9}))?$/.exec(part) ?? []
    if (from === undefined) return { fault: `"${part}" is not an episode: write numbers and ranges, as in 3, 5-9.` }
    const [first, last] = [Number(from), Number(to ?? from)]
    if (last < first) return { fault: `${part} ends before it begins.` }
    ranges.push([first, last])
  }
  // Counted after they are merged: a short text can name the same million a thousand times.
  const merged = joined(ranges.toSorted(([a], [b]) => a - b))
  return countOfRanges(merged) > most ? { fault: tooMany(most) } : merged
}

/** The numbers in order, each once; or what is wrong with the text. At most `most` of them. */
export function readEpisodes(text: string, most = MAX_EPISODES): readonly number[] | { readonly fault: string } {
  const ranges = readRanges(text, most)
  if ('fault' in ranges) return ranges
  return ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, at) => first + at))
}

/** Ranges in the order of their first episodes, as ranges of which none overlaps or touches the next. */
function joined(ranges: readonly EpisodeRange[]): readonly EpisodeRange[] {
  const merged: [number, number][] = []
  for (const [first, last] of ranges) {
    const before = merged.at(-1)
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else merged.push([first, last])
  }
  return merged
}

const tooMany = (most: number) => `At most ${most} episodes at a time.`

/** The ranges of episodes in order. */
export const rangesOfEpisodes = (episodes: readonly number[]): readonly EpisodeRange[] =>
  joined(episodes.map((episode) => [episode, episode]))

/** How many episodes such ranges have together. */
export const countOfRanges = (ranges: readonly EpisodeRange[]): number =>
  ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0)

/** All episodes of `total`, from 0, that are in none of these ranges. */
export function otherRanges(ranges: readonly EpisodeRange[], total: number): readonly EpisodeRange[] {
  const others: EpisodeRange[] = []
  let from = 0
  for (const [first, last] of ranges) {
    if (first > from) others.push([from, first - 1])
    from = last + 1
  }
  return from < total ? [...others, [from, total - 1]] : others
}

/** The shortest text of such ranges: `3,5-9`. Equal lists have equal texts. */
export const writeRanges = (ranges: readonly EpisodeRange[]): string =>
  ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',')

/** The shortest text of the list, which is in order: `3,5-9`. */
export const writeEpisodes = (episodes: readonly number[]): string => writeRanges(rangesOfEpisodes(episodes))
