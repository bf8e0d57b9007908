/** Listings over `/v1`, page by page. */

export interface PageOf<T> {
  readonly items: readonly T[]
  readonly next_cursor: string | null
}

/**
 * The items of each page until there is no next cursor. Throws for a hub that returns the cursor of its own request,
 * which would never end.
 */
export async function* pages<T>(
  url: string,
  read: (cursor: string | undefined) => Promise<PageOf<T>>,
): AsyncGenerator<readonly T[], void> {
  let cursor: string | undefined
  do {
    const { items, next_cursor: next }: PageOf<T> = await read(cursor)
    yield items
    if (next !== null && next === cursor)
      throw new Error(`${url} returned the same page cursor twice; the listing was stopped.`)
    cursor = next ?? undefined
  } while (cursor !== undefined)
}
