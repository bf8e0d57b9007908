import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The folder of things that tests share with other projects (sample robots, an S3 server), or null where there is none. */
export function sharedDir(): string | null {
  const dir = process.env.HUB_SHARED_DIR || fileURLToPath(new URL('../../../shared', import.meta.url))
  return existsSync(dir) ? dir : null
}
