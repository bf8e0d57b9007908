/** Messages between the hub and a reading process. */
import type { ModelReading } from '../reading.ts'

/**
 * To the process: a model to read, and the responses to its requests, in the requested order; null for a missing file.
 */
export type ToReader =
  | { readonly kind: 'model'; readonly entry: string }
  | { readonly kind: 'files'; readonly id: number; readonly files: readonly (Uint8Array | null)[] }
  | { readonly kind: 'sizes'; readonly id: number; readonly sizes: readonly (number | null)[] }

/** The files that the reader needs at the same time; the response has the same `id`. */
export interface Ask {
  readonly kind: 'read' | 'look'
  readonly id: number
  readonly paths: readonly string[]
}

/**
 * From the process. `begin`: loaded, and reading from now on. `failed`: the reader threw, which is not a fault of the
 * model.
 */
export type FromReader =
  | { readonly kind: 'begin' }
  | Ask
  | { readonly kind: 'done'; readonly reading: ModelReading }
  | { readonly kind: 'failed'; readonly name: string; readonly message: string; readonly stack: string }
