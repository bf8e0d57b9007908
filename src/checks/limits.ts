/** Limits of checks. Spec, "Limits". */

const MIB = 1024 * 1024

export const MAX_ARTIFACT_BYTES = 256 * MIB
export const MAX_ARTIFACTS = 100
export const MAX_CARD_BYTES = MIB
export const MAX_LOG_CHUNK_BYTES = 256 * 1024
export const MAX_LOG_TAIL_BYTES = 64 * 1024
/** Lifetime of the URLs of sources, artifacts and downloads. */
export const CHECK_URL_TTL_SECONDS = 3600
/** Maximum number of changed files that a check names. */
export const MAX_CHANGED_SHOWN = 20
/** A page of checks ends early after the check that exceeds this number of client-supplied bytes. */
export const MAX_PAGE_BYTES = 4 * MIB
