/** Limits of the processes that read models; those of a model itself are in `../limits.ts`. */

/** Concurrent readings: each may use a core for its whole time limit. */
export const READING_PROCESSES = 2

/**
 * Readings waiting for a process, of all askers and of one; further ones get 503. A queue of one asker is empty within
 * half a minute.
 */
export const MAX_WAITING_READINGS = 1000
export const MAX_WAITING_OF_ASKER = 25

/** Parsing and checking; waiting for files does not count. The largest public robots take a twentieth of it. */
export const PARSE_WALL_MS = 2_000

/**
 * Waves of XML files of one reading, each of which names the next: how deep includes may nest. Each waits for the
 * database and the store once, so that a chain without end would keep a process for seconds without parsing. Robots
 * nest three deep.
 */
export const MAX_WAVES = 256

/**
 * A process that has not started by then is considered dead. Starting it and loading the reader takes 0.3 s on an idle
 * machine.
 */
export const READER_START_MS = 30_000

/**
 * Of one process: the old generation, which ends it, and each half of the young one. Below 200 MB together with the
 * bytes of the files that it holds.
 */
export const READER_HEAP_MIB = 128
export const READER_SEMI_SPACE_MIB = 8
