/** The tags of a repo, which come from its owner and from the card in its README.md. */

/** The tags as one list: each once in any letter case, at its first place and as the last list spells it. */
export function tagsTogether(...lists: readonly (readonly string[])[]): string[] {
  const byWord = new Map<string, string>()
  for (const tag of lists.flat()) byWord.set(tag.toLowerCase(), tag)
  return [...byWord.values()]
}
