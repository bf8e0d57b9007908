/** A folder to push to a double of a hub, a new one for each test of the file that calls this. */
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { createHubClient } from '../src/internal.ts'
import { type HubDouble, startHubDouble } from './hub-double.ts'

export const repo = { owner: 'o', slug: 's' }
export const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')

export function transferFolder() {
  const t = {
    hub: undefined as unknown as HubDouble,
    /** Holds the folder, and what the client keeps. */
    base: '',
    dir: '',
    client: () =>
      createHubClient({ url: t.hub.url, token: 't', retry: { attempts: 3, baseMs: 1, maxMs: 2, random: () => 0.5 } }),
    impatient: () =>
      createHubClient({ url: t.hub.url, token: 't', retry: { attempts: 1, baseMs: 1, maxMs: 1, random: () => 0 } }),
    options: (more: object = {}) => ({ cacheDir: join(t.base, 'cache'), ...more }),
    put: async (path: string, bytes: string | Buffer) => {
      await mkdir(join(t.dir, path, '..'), { recursive: true })
      await writeFile(join(t.dir, path), bytes)
    },
  }
  beforeEach(async () => {
    t.hub = await startHubDouble()
    t.base = await mkdtemp(join(tmpdir(), 'hub-client-'))
    t.dir = join(t.base, 'robot')
    await mkdir(t.dir)
  })
  afterEach(async () => {
    await t.hub.close()
    await rm(t.base, { recursive: true, force: true })
  })
  return t
}
