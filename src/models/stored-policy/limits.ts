/** Limits of reading a policy in the object store, of which only descriptions are fetched. */
import type { ReadBudget } from '@hub/formats/policy/windowed-file'

/**
 * Of one model file. An ONNX file takes a read for each of its larger weights (an exporter's model of 2 GB has some
 * 500) and a few for its nodes; a safetensors file takes two.
 */
export const FILE_BUDGET: ReadBudget = { fetches: 2_000, bytes: 64 * 1024 * 1024 }

/** Weights of a checkpoint that come in more parts than this are not counted. */
export const MAX_WEIGHT_FILES = 200

/** Concurrent safetensors headers of one policy. */
export const HEADER_CONCURRENCY = 4

/** Of all reads for one policy together. */
export const READ_WALL_MS = 20_000

/** Policies that are read at a time, each with at most one window of 1 MiB a concurrent header. */
export const CONCURRENT_POLICIES = 4

/** Parameter counts that are kept, by the digest of the file. */
export const KEPT_COUNTS = 10_000
