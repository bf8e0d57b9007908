/** Limits of films of episodes. Contract, "Films of episodes". */

/** How long a film waits for a worker: a day. */
export const WAITS_SECONDS = 86_400
/** Of a data set: the oldest go when another one is asked for. */
export const MAX_FILMS_PER_REPO = 100
/** Points of a picture or a video, as workers make it. */
export const FILM_SIZE = { width: 640, height: 360 } as const
/** Of a picture of that size. */
export const MAX_STILL_BYTES = 2 * 1024 * 1024
/** Ten seconds at four megabits each are 5 MB. */
export const MAX_VIDEO_BYTES = 16 * 1024 * 1024
