/** How many results a board has, for people. */

/** Where the hub ends to count. */
const MAX_COUNTED = 1000

/** The number, which stands for more where counting ended. */
export const resultsText = (results: number): string => (results < MAX_COUNTED ? `${results}` : '1,000 or more')
