/** How many results a board has, for people. */

/** The hub stops counting there. */
const MAX_COUNTED = 1000

/** The number; where counting stopped, it stands for that many or more. */
export const resultsText = (results: number): string => (results < MAX_COUNTED ? `${results}` : '1,000 or more')
