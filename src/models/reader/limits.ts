/** The bounds of a reading in a running hub; those of a model itself are the reader's own (`src/models/mjcf/limits.ts`). */

/** Readings under way at a time: each may take a core for its whole wall limit. */
export const READING_PROCESSES = 2

/** Readings that wait for a process; the next one is told that the hub is busy. */
export const MAX_WAITING_READINGS = 100

/** Parsing and checking; waiting for files does not count. The largest public robots take a twentieth of it. */
export const PARSE_WALL_MS = 2_000

/**
 * Waves of XML files of one reading, each of which names the next: how deep includes may nest. Each waits for the database and the store once, so that a
 * chain without end would keep a process for seconds without parsing. Robots nest three deep.
 */
export const MAX_WAVES = 256

/** A process that has not begun by then never will. Starting it and loading the reader takes 0.3 s on an idle machine. */
export const READER_START_MS = 30_000

/** Of one process: the old generation, which ends it, and each half of the young one. Below 200 MB together with the bytes of the files that it holds. */
export const READER_HEAP_MIB = 128
export const READER_SEMI_SPACE_MIB = 8

/** Reads of the object store that one reading keeps under way. */
export const READING_STORE_CONCURRENCY = 8

/** All store reads of one wave of files, which end at 32 MiB together. */
export const WAVE_WALL_MS = 20_000

/** Of readings that are kept, as JSON in UTF-16; a robot's takes 20 to 100 kB, so a few hundred robots. */
export const KEPT_BYTES = 32 * 1024 * 1024

/** Readings kept of one entry (path and digest) over different files beside it. */
export const KEPT_OF_ENTRY = 4
