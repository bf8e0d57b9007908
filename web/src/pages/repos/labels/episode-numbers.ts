/** Episodes as a person writes them: `3, 5-9`. Pure. */

/** What one request takes. */
const MOST = 100

/** The numbers in order, each once; or what is wrong with the text. */
export function episodeNumbers(text: string): readonly number[] | { readonly fault: string } {
  const found = new Set<number>()
  for (const part of text.split(',').map((one) => one.trim())) {
    const [, from, to] = /^(\d{1,9})(?:\s*-\s*(\d{1,9}))?$/.exec(part) ?? []
    if (from === undefined) return { fault: `"${part}" is no episode: write numbers and ranges, as in 3, 5-9.` }
    const [first, last] = [Number(from), Number(to ?? from)]
    if (last < first) return { fault: `${part} ends before it begins.` }
    if (last - first >= MOST) return { fault: tooMany }
    for (let episode = first; episode <= last; episode += 1) found.add(episode)
  }
  return found.size > MOST ? { fault: tooMany } : [...found].toSorted((a, b) => a - b)
}

const tooMany = `At most ${MOST} episodes at a time.`
