/** Lists of episodes as people write them and as they are kept: `3, 5-9`. Pure. */

/** Of one list: a text of a bad list must not fill memory. */
export const MAX_EPISODES = 1_000_000

/** The numbers in order, each once; or what is wrong with the text. At most `most` of them. */
export function readEpisodes(text: string, most = MAX_EPISODES): readonly number[] | { readonly fault: string } {
  const ranges: (readonly [number, number])[] = []
  for (const part of text.split(',').map((one) => one.trim())) {
    const [, from, to] = /^(\d{1,9})(?:\s*-\s*(\d{1,9}))?$/.exec(part) ?? []
    if (from === undefined) return { fault: `"${part}" is not an episode: write numbers and ranges, as in 3, 5-9.` }
    const [first, last] = [Number(from), Number(to ?? from)]
    if (last < first) return { fault: `${part} ends before it begins.` }
    ranges.push([first, last])
  }
  // Counted before they are written out: a short text can name the same million a thousand times.
  const merged = withoutOverlaps(ranges)
  const count = merged.reduce((sum, [first, last]) => sum + last - first + 1, 0)
  if (count > most) return { fault: tooMany(most) }
  return merged.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, at) => first + at))
}

/** The same numbers in order, each once. */
function withoutOverlaps(ranges: readonly (readonly [number, number])[]): [number, number][] {
  const merged: [number, number][] = []
  for (const [first, last] of ranges.toSorted(([a], [b]) => a - b)) {
    const before = merged.at(-1)
    if (before && first <= before[1]) before[1] = Math.max(before[1], last)
    else merged.push([first, last])
  }
  return merged
}

const tooMany = (most: number) => `At most ${most} episodes at a time.`

/** The shortest text of the list, which is in order: `3,5-9`. Equal lists have equal texts. */
export function writeEpisodes(episodes: readonly number[]): string {
  const parts: string[] = []
  for (let at = 0; at < episodes.length; ) {
    const first = episodes[at] ?? 0
    let end = at + 1
    while (end < episodes.length && episodes[end] === first + (end - at)) end += 1
    parts.push(end - at === 1 ? `${first}` : `${first}-${first + (end - at) - 1}`)
    at = end
  }
  return parts.join(',')
}
