/** What the main thread and a reading thread say to each other, over a port of the reading's own. */
import type { MessagePort } from 'node:worker_threads'

/** The task of a thread: read the model at `entry`, asking for files over `port`. */
export interface ReadingTask {
  readonly entry: string
  readonly port: MessagePort
}

/** From the thread. `begin`: loaded, and reading from now on. The others ask for what the reader needs at the same time, and are answered by `id`. */
export type Ask =
  | { readonly kind: 'begin' }
  | { readonly kind: 'read'; readonly id: number; readonly paths: readonly string[] }
  | { readonly kind: 'sizes'; readonly id: number; readonly paths: readonly string[] }

/** To the thread, in the order asked; null for a file that is not there. The buffers are transferred. */
export type Reply =
  | { readonly id: number; readonly files: readonly (Uint8Array | null)[] }
  | { readonly id: number; readonly sizes: readonly (number | null)[] }
