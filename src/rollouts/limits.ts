/** Limits of results of rollouts (contract, "Results of rollouts"). */

/** Seeds of one result: with all of them successful the interval begins at 99.6 %. `rollouts_counts` is the same. */
export const MAX_SEEDS = 1000

/** Episodes that a result keeps: the worst ones are looked at, and ten of them are many. */
export const MAX_KEPT_EPISODES = 20

/** Of one episode: ten minutes of a robot with thirty joints, fifty times a second, have 15 MiB. */
export const MAX_EPISODE_BYTES = 16 * 1024 * 1024

/** Results of one model: the oldest go. */
export const MAX_RESULTS_PER_MODEL = 1000

/** Files of policies that one request compares with results: those of three models that have as many as they can. */
export const MAX_POLICY_FILES = 20_000

/** Gates of one model. */
export const MAX_GATES = 20

/** A task and its disturbance as they are stored; a task of a hundred conditions has a fifth of it. */
export const MAX_CONDITIONS_BYTES = 64 * 1024

/** What drew pictures, as it is stored; `rollouts_drawn_by` is the same. */
export const MAX_DRAWN_BY_CHARS = 200

/** Names of chosen cameras as they are stored; `rollouts_cameras` is the same. */
export const MAX_CAMERAS_BYTES = 4096

/** Versions of software as they are stored; `rollouts_sizes` is the same. */
export const MAX_SOFTWARE_BYTES = 4096
