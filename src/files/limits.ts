/** The numbers of the Files part (spec, "Limits"; contract, "Uploads resume"). */

/** 100 MiB; every part but the last has exactly this size. */
export const PART_SIZE_BYTES = 104_857_600

/** 50 GiB. */
export const MAX_FILE_BYTES = 53_687_091_200

/** Files, uploads or paths of one request. */
export const MAX_FILES_PER_REQUEST = 100

/** Uploads of one owner that are neither completed nor aborted. An empty one takes no bytes of the quota, and still a row and a folder or a key. */
export const MAX_PENDING_UPLOADS = 10_000

export const MAX_CONTENT_TYPE_LENGTH = 255
export const MAX_PREFIX_LENGTH = 1024

export const DEFAULT_TREE_LIMIT = 500
export const MAX_TREE_LIMIT = 1000

/** Life of a part's URL: 24 hours. */
export const PART_URL_TTL_SECONDS = 86_400

/** Life of a download's URL: 1 hour. */
export const DOWNLOAD_URL_TTL_SECONDS = 3600

/** The lease of a completion on its uploads; after that another one may take them over. It is renewed three times as often. */
export const COMPLETE_LEASE_SECONDS = 60

/** Calls to the object store that one request keeps under way. */
export const STORE_CONCURRENCY = 16

/** Files that one completion hashes at a time: hashing is bound by the CPU, not by waiting. */
export const HASH_CONCURRENCY = 4
