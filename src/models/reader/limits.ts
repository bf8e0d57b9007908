/**
 * Limits of readings in a running hub; those of the model itself and of the processes that read it are in
 * `packages/mjcf`.
 */

/** Concurrent object store reads of one reading. */
export const READING_STORE_CONCURRENCY = 8

/** Time limit of all store reads of one wave, at most 32 MiB in total. */
export const WAVE_WALL_MS = 20_000

/** Size of the cache of readings, as JSON in UTF-16; a robot takes 20 to 100 kB, so a few hundred robots. */
export const KEPT_BYTES = 32 * 1024 * 1024

/** Cached readings per entry (path and digest), for different sets of other files. */
export const KEPT_OF_ENTRY = 4
