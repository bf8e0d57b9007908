/**
 * Limits of the policy server. Each device was approved by a person; these keep a broken one from harming the others.
 */

const MIB = 1024 * 1024

/** Of a frame from a device. Three cameras of 640 x 480 in bytes take 3 MiB. */
export const MAX_FRAME_BYTES = 8 * MIB

/**
 * Frames of one link that wait behind the one that is computed; a client that sends without waiting for answers is
 * ahead of itself.
 */
export const MAX_WAITING_FRAMES = 4

/** Per second and link, and at once. Nothing at a reflex rate is served over a network. */
export const FRAMES_PER_SECOND = 200

/** What a link may leave unread. */
export const MAX_UNREAD_BYTES = 8 * MIB

/** Sessions at a time: one report names at most 200. */
export const MAX_SESSIONS = 64

/** Sockets beyond those of sessions, which have not shown a token yet. */
export const SPARE_SOCKETS = 64

/** From a connection to its whole request. */
export const UPGRADE_MS = 10_000

/** A link that answers no ping for that long is gone. */
export const PING_MS = 5_000

/** A session whose link was lost can come back for that long; then it is closed. */
export const RECONNECT_MS = 10_000

/** One inference; a model that takes longer has failed. The first one compiles. */
export const RUN_MS = 60_000

/** The hub shows open sessions and stops that are this old. */
export const REPORT_MS = 3_000

/** One report, with its retries. */
export const REPORT_WAIT_MS = 20_000

/** Keys of the hub are read again so often, and for an unknown one at most every few seconds. */
export const KEYS_MS = 30_000
export const UNKNOWN_KEY_MS = 3_000

/** Times of a session that its percentiles are of: the last ones. */
export const TIMES_KEPT = 1_000
