/** Which items of a list a request was refused for. Pure. */

/** One entry of a Problem's `errors[]`; `loc` is the place in the request. */
export interface ProblemEntry {
  readonly type: string
  readonly detail: string
  readonly loc: ReadonlyArray<string | number>
}

/** The items of the list `member` that entries name, by index, with the reason; `message` where an entry says none. */
export function refusedItems(
  entries: readonly Pick<ProblemEntry, 'detail' | 'loc'>[],
  message: string,
  member: string,
  length: number,
): Map<number, string> {
  const found = new Map<number, string>()
  for (const entry of entries) {
    const at = entry.loc.indexOf(member)
    const index = at < 0 ? undefined : entry.loc[at + 1]
    if (typeof index === 'number' && index < length && !found.has(index)) found.set(index, entry.detail || message)
  }
  return found
}
