/** Lists of episodes as people write them and as they are kept: `3, 5-9`. Pure. */

/** Of one list: a text of a bad list must not fill memory. */
export const MAX_EPISODES = 1_000_000

/** The numbers in order, each once; or what is wrong with the text. At most `most` of them. */
export function readEpisodes(text: string, most = MAX_EPISODES): readonly number[] | { readonly fault: string } {
  const found = new Set<number>()
  for (const part of text.split(',').map((one) => one.trim())) {
    const [, from, to] = /^(\d{1,9})(?:\s*-\s*(\d{1,9}))?$/.exec(part) ?? []
    if (from === undefined) return { fault: `"${part}" is no episode: write numbers and ranges, as in 3, 5-9.` }
    const [first, last] = [Number(from), Number(to ?? from)]
    if (last < first) return { fault: `${part} ends before it begins.` }
    if (last - first >= most) return { fault: tooMany(most) }
    for (let episode = first; episode <= last; episode += 1) found.add(episode)
    if (found.size > most) return { fault: tooMany(most) }
  }
  return [...found].toSorted((a, b) => a - b)
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
