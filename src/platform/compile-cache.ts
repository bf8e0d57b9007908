/** Node's on-disk compile cache. */
import { enableCompileCache } from 'node:module'

/**
 * Caches code that Node compiles from here on in `folder`. Halves the time of a short command. The folder belongs to
 * the package, not to the shared temporary directory, where other users could plant code. Without write access nothing
 * is cached.
 */
export function keepCompiled(folder: string): void {
  enableCompileCache(folder)
}
