/** How contents are cut into parts and requests. Pure: pages cut alike. */
import { batchesOf } from './batches.ts'

/** Contents of one presign or completion request. */
export const BATCH = 100

/** Maximum signed URLs per presign request, about a megabyte of JSON; a file of more parts has a request of its own. */
const PARTS_PER_BATCH = 2000

const MIB = 1_048_576

/** What an interruption makes a push send again: one part. */
export const PART_BYTES = 8 * MIB

/** From this size on, parts of 16 MiB halve the number of URLs. */
const LARGE_FILE_BYTES = 8192 * MIB
const LARGE_PART_BYTES = 16 * MIB

/** The most parts that a store takes. */
const MAX_PARTS = 10_000

/** The part size to ask for; null for a file of one part. */
export function partSizeFor(size: number): number | null {
  if (size <= PART_BYTES) return null
  const fitting = Math.ceil(size / MAX_PARTS / MIB) * MIB
  return Math.max(size > LARGE_FILE_BYTES ? LARGE_PART_BYTES : PART_BYTES, fitting)
}

/** The hub hashes contents before it responds; this many bytes per request stay well within its timeout. */
export const COMPLETION_BYTES = 512 * MIB

/** What a request may hold of each content; larger ones are sent to the store. */
const MAX_SMALL_BYTES = 65_536

/** Bytes and contents of one request; an empty content costs the hub as much as any other. */
interface SmallLimits {
  readonly bytes: number
  readonly count: number
}

/** As an archive: half of one part of a large file, so that one request is read and sent while another is stored. */
export const ARCHIVE_LIMITS: SmallLimits = { bytes: 4 * MIB, count: 500 }
/** In base64, 2.7 MiB. */
export const BASE64_LIMITS: SmallLimits = { bytes: 2 * MIB, count: 500 }

interface Sized {
  /** Bytes. */
  readonly size: number
}

export const isSmall = ({ size }: Sized) => size <= MAX_SMALL_BYTES

/** Splits small contents into batches for one request each. */
export const smallBatches = <One extends Sized>(
  contents: readonly One[],
  { bytes, count }: SmallLimits = BASE64_LIMITS,
): Generator<One[]> => batchesOf(contents, count, bytes, ({ size }) => size)

/** Splits contents into batches small enough for one presign request. */
export function presignBatches<One extends Sized>(contents: readonly One[]): Generator<One[]> {
  return batchesOf(
    contents,
    BATCH,
    PARTS_PER_BATCH,
    ({ size }) => Math.ceil(size / (partSizeFor(size) ?? PART_BYTES)) || 1,
  )
}

/** An ETag without its quotes. */
export const bareEtag = (etag: string) => etag.replace(/^"(.*)"$/, '$1')
