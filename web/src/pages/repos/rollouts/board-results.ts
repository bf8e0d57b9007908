/** A board in few words: its name among those of its task, and how many results it has. */

/** How the fingerprint of a board begins: boards of one task differ by it, and `hub gate set --board` takes it. */
export const shortBoard = (fingerprint: string): string => fingerprint.slice(0, 6)

/** The hub stops counting there. */
const MAX_COUNTED = 1000

/** The number; where counting stopped, it stands for that many or more. */
export const resultsText = (results: number): string => (results < MAX_COUNTED ? `${results}` : '1,000 or more')
