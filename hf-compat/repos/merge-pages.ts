/** Several listings of one order as one listing. */

export interface SortedPage<T> {
  readonly items: readonly T[]
  /** Whether its listing goes on after the page. */
  readonly hasNext: boolean
  /** The cursor that the page began after; '' for the first. */
  readonly after: string
}

export interface MergedPage<T> {
  readonly items: readonly T[]
  /** For each listing the cursor of its last item that was taken; null if nothing is left of any. */
  readonly next: readonly string[] | null
}

/**
 * At most `limit` items of the pages, in their order. It ends where a page ends whose listing goes on: what comes next of
 * it may be before what the others have.
 */
export function mergePages<T extends { readonly cursor: string }>(
  pages: readonly SortedPage<T>[],
  limit: number,
  isBefore: (a: T, b: T) => boolean,
): MergedPage<T> {
  const taken = pages.map(() => 0)
  const items: T[] = []
  while (items.length < limit) {
    const heads = pages.map((page, at) => page.items[taken[at] ?? 0])
    if (pages.some(({ hasNext }, at) => hasNext && heads[at] === undefined)) break
    let first = -1
    for (const [at, head] of heads.entries()) {
      const best = heads[first]
      if (head !== undefined && (best === undefined || isBefore(head, best))) first = at
    }
    const item = heads[first]
    if (item === undefined) break
    items.push(item)
    taken[first] = (taken[first] ?? 0) + 1
  }
  const isDone = pages.every(({ items: all, hasNext }, at) => !hasNext && taken[at] === all.length)
  const next = pages.map(({ items: all, after }, at) => all[(taken[at] ?? 0) - 1]?.cursor ?? after)
  return { items, next: isDone ? null : next }
}
