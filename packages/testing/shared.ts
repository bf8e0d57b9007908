import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of things that tests share with other projects (sample robots, an S3 server), or null where there is none. */
export function sharedDir(): string | null {
  const dir = process.env.HUB_SHARED_DIR || fileURLToPath(new URL('../../../shared', import.meta.url))
  return existsSync(dir) ? dir : null
}

/** Why the tests of its sample robots are skipped; null where they are. */
export const noRobots = existsSync(join(sharedDir() ?? '/nowhere', 'robots'))
  ? null
  : 'there is no folder of sample robots (HUB_SHARED_DIR)'
