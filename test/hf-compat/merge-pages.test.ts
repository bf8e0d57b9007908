import { expect, it } from 'vitest'
import { mergePages, type SortedPage } from '../../hf-compat/repos/merge-pages.ts'

interface Item {
  readonly cursor: string
  readonly at: number
}

/** A page of a listing after a cursor; `short`: as the graph ends a page of large rows early. */
function pageOf(listing: readonly number[], after: string, size: number): SortedPage<Item> {
  const from = after === '' ? 0 : listing.indexOf(Number(after)) + 1
  const items = listing.slice(from, from + size).map((at) => ({ cursor: `${at}`, at }))
  return { items, hasNext: from + size < listing.length, after }
}

function read(listings: readonly (readonly number[])[], limit: number, sizes: readonly number[]): number[] {
  const found: number[] = []
  let cursors: readonly string[] | null = listings.map(() => '')
  for (let pages = 0; cursors !== null; pages += 1) {
    expect(pages).toBeLessThan(100)
    const at: readonly string[] = cursors
    const { items, next } = mergePages(
      listings.map((listing, index) => pageOf(listing, at[index] ?? '', sizes[index] ?? limit)),
      limit,
      (a, b) => a.at > b.at,
    )
    expect(items.length).toBeLessThanOrEqual(limit)
    found.push(...items.map((item) => item.at))
    cursors = next
  }
  return found
}

it.each([
  [
    'two that take turns',
    [
      [9, 7, 5, 3, 1],
      [8, 6, 4, 2],
    ],
  ],
  [
    'one after the other',
    [
      [9, 8, 7],
      [3, 2, 1],
    ],
  ],
  ['one that is empty', [[], [3, 2, 1]]],
  ['one alone', [[5, 4, 3, 2, 1]]],
  ['none with anything', [[], []]],
])('has every item once and in order: %s', (_, listings) => {
  const all = listings.flat().sort((a, b) => b - a)
  for (const limit of [1, 2, 3, 100])
    for (const size of [1, 2, limit]) expect(read(listings, limit, [size, limit])).toEqual(all)
})
