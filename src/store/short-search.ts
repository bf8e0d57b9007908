/**
 * Searches that no index of words serves. Such a page looks at a bounded number of rows, from the newest one on, and
 * ends where it has: it may be shorter than requested, even empty, and the next page goes on from there. All pages
 * together have everything that is found.
 */

/** Rows of each account, or of what is public, that one page looks at: some 20 ms. */
export const LOOKED_AT = 5000

/** Whether a search has what indexes of words are by: three letters or digits in a row. */
export const isIndexed = (q: string): boolean => /[\p{L}\p{N}]{3}/u.test(q)

/** SQL for the key of the row where a page of a stream ends; no row where the stream has fewer. */
export const lastLookedAt = (stream: string): string => `(${stream} offset ${LOOKED_AT - 1} limit 1)`
