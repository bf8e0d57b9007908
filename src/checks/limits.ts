/** Limits of checks. Spec, "Limits". */

const MIB = 1024 * 1024

export const MAX_ARTIFACT_BYTES = 256 * MIB
export const MAX_ARTIFACTS = 100
export const MAX_CARD_BYTES = MIB
export const MAX_LOG_CHUNK_BYTES = 256 * 1024
export const MAX_LOG_TAIL_BYTES = 64 * 1024
/** URLs of sources, artifacts and downloads. */
export const CHECK_URL_TTL_SECONDS = 3600
/** Files that changed since a check was queued, as far as they are named. */
export const MAX_CHANGED_SHOWN = 20
/** A page of checks ends early behind so many bytes of what clients wrote. */
export const MAX_PAGE_BYTES = 4 * MIB
