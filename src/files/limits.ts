/** Limits of file operations (spec, "Limits"; contract, "Uploads"). */

export const MIB = 1_048_576

/** 100 MiB: the size of every part but the last, unless a client asks for smaller parts. */
export const PART_SIZE_BYTES = 104_857_600

/**
 * The smallest part size that a client may ask for: above S3's minimum of 5 MiB, and large enough that 50 GiB have
 * fewer than 10,000 parts.
 */
export const MIN_PART_SIZE_BYTES = 8 * MIB

/** The most parts of all files in one request that asks for a part size: each part needs a signed URL. */
export const MAX_ASKED_PARTS = 10_000

/** 50 GiB. */
export const MAX_FILE_BYTES = 53_687_091_200

/** Files, uploads or paths of one request. */
export const MAX_FILES_PER_REQUEST = 100

/** Operations of one commit. */
export const MAX_COMMIT_OPERATIONS = 100_000

/**
 * Characters of the folders above the files of one commit, each folder written out from the root: what finding clashes
 * costs. A hundred thousand files in folders of their own, five levels and a hundred characters deep, have as many; a
 * path of 512 levels has 260,000.
 */
export const MAX_COMMIT_FOLDER_CHARACTERS = 32 * MIB

/** Files that one commit removes, or replaces: a folder may have more, which is deleted in parts. */
export const MAX_COMMIT_FILES = 200_000

/** Folders that one commit deletes: each is a range, and the database may have no statistics of a new repo yet. */
export const MAX_COMMIT_FOLDERS = 1000

/** Contents that a commit, or a request that stores contents, holds itself; files of an archive of contents. */
export const MAX_INLINE_FILES = 1000

/** 64 KiB: the size of a content in a request. */
export const MAX_INLINE_BYTES = 65_536

/** 1 MiB: the size of a file in an archive of contents. */
export const MAX_ARCHIVED_BYTES = 1_048_576

/** 32 MiB: an archive of contents is held whole while it is read. */
export const MAX_CONTENT_ARCHIVE_BYTES = 32 * MIB

/** Past states that one commit copies from: each is looked up and locked. */
export const MAX_COPIED_STATES = 16

/** Files of one archive: their names and sizes are held while it is sent. */
export const MAX_ARCHIVE_FILES = 10_000

/** Pending uploads of one owner. An empty upload uses no quota, but still a row and an object. */
export const MAX_PENDING_UPLOADS = 10_000

/**
 * Contents that the hub itself has stored ahead of commits, of one owner: as many as two of the largest commits have.
 * They are at most 1 MiB each, wait for no client, and take none of the places of uploads.
 */
export const MAX_PENDING_CONTENTS = 200_000

/** Films of episodes of one account that wait or are being made. */
export const MAX_OPEN_FILMS = 50

/** Each snapshot keeps the rows of its state permanently, even if it keeps no bytes that count against the quota. */
export const MAX_SNAPSHOTS_PER_REPO = 1000

export const MAX_PREFIX_LENGTH = 1024

export const DEFAULT_TREE_LIMIT = 500
export const MAX_TREE_LIMIT = 1000

/** Lifetime of a part URL: 24 hours. */
export const PART_URL_TTL_SECONDS = 86_400

/** Lifetime of a download URL: 1 hour. */
export const DOWNLOAD_URL_TTL_SECONDS = 3600

/**
 * Lease of a completion on its uploads; after it expires another request may take them over. Renewed every third of
 * this time.
 */
export const COMPLETE_LEASE_SECONDS = 60

/** Concurrent object store calls of one request. */
export const STORE_CONCURRENCY = 16

/** Files that one completion hashes concurrently: hashing is CPU-bound. */
export const HASH_CONCURRENCY = 4
