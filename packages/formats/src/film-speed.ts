/** How long a film of a worker lasts, and so how fast it plays. Contract, "Films of episodes". */

/** A README and a chat show a short one. */
export const MOST_FILMED_S = 10

/** How many times as fast as the episode its film plays, which shows all of it: 1 for one of `mostS` seconds or less. */
export const filmSpeed = (seconds: number, mostS = MOST_FILMED_S): number => Math.max(1, seconds / mostS)
