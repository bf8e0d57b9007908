/** A first start on a disk that is too small: a separate file system, which only root can mount. */
import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { needs } from '@hub/testing/needs'
import { pino } from 'pino'
import { afterAll, describe, expect, it } from 'vitest'
import { readConfig } from '../src/platform/config.ts'
import { startFailure } from '../src/start-failure.ts'
import { startHub } from '../src/start-hub.ts'
import { isRunning } from '../src/store/start-lock.ts'

const mounts: string[] = []
async function disk(megabytes: number): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), 'hub-small-'))
  mounts.push(folder)
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]).status === 0 ? folder : null
}
const mounted = (await disk(1)) !== null

afterAll(async () => {
  for (const folder of mounts) {
    spawnSync('umount', ['-l', folder])
    await rm(folder, { recursive: true, force: true })
  }
})

describe('a start on a full disk', needs(!mounted && 'this user may mount no file system of its own'), () => {
  // Too small for anything, for the files of the database, and for its write-ahead log.
  it.each([1, 16, 40])(
    'of %i MB is one line that names HUB_DATA_DIR, and leaves no database that runs',
    async (megabytes) => {
      const dataDir = join((await disk(megabytes)) ?? '', 'data')
      const config = readConfig({ PORT: '0', HUB_DATA_DIR: dataDir })
      const error: unknown = await startHub(config, pino({ level: 'silent' })).catch((thrown: unknown) => thrown)
      expect(startFailure(error, config)).toBe(
        `HUB_DATA_DIR: the disk of ${dataDir} is full; make room, or set it to another disk.`,
      )
      const lock = await readFile(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').catch(() => null)
      expect(lock !== null && (await isRunning(Number.parseInt(lock, 10)))).toBe(false)
    },
  )
})
