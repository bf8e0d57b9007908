/** What the log of a start says of hosted calls and of the data folder. */
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { needs } from '@hub/testing/needs'
import { pino } from 'pino'
import { afterAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/platform/config.ts'
import { startHub } from '../../src/start-hub.ts'
import { testDb } from '../support/database.ts'
import { asRoot, givesUids } from '../support/open-folder.ts'

const database = testDb()
const base = mkdtempSync(join(tmpdir(), 'hub-start-log-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))

/** The warnings of a start. */
async function warnings(settings: Record<string, string>): Promise<string[]> {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line).msg) })
  const given = { PORT: '0', DATABASE_URL: database.url, HUB_SECRET: 's'.repeat(32), HUB_DATA_DIR: join(base, 'data') }
  const hub = await startHub(readConfig({ ...given, ...settings }), log)
  await hub.stop()
  return lines
}

describe('the log of a start', () => {
  it('says that hosted calls and hub are one trust domain, and what to do about it', async () => {
    const said = await warnings({ HOSTED_APP_NAME: 'coach', HOSTED_COMMAND: 'true', HOSTED_UIDS: 'off' })
    expect(said).toEqual([expect.stringMatching(/^All hosted calls run as the user of the hub .*\. Fix: .*\.$/)])
  })

  it('says nothing where each call has a uid of its own', needs(!givesUids && asRoot), async () => {
    expect(await warnings({ HOSTED_APP_NAME: 'coach', HOSTED_COMMAND: 'true' })).toEqual([])
  })

  it('says nothing where nothing is hosted', async () => {
    expect(await warnings({ HOSTED_UIDS: 'off' })).toEqual([])
  })

  it('says that a data folder was left open because of what else is in it, also without a disk store', async () => {
    const dir = mkdtempSync(join(base, 'shared-'))
    chmodSync(dir, 0o755)
    writeFileSync(join(dir, 'notes.txt'), '')
    expect(await warnings({ HUB_DATA_DIR: dir, OBJECT_STORE: 'none' })).toEqual([
      expect.stringContaining(`can list ${dir}; it was left open`),
    ])
    rmSync(join(dir, 'notes.txt'))
    expect(await warnings({ HUB_DATA_DIR: dir, OBJECT_STORE: 'none' })).toEqual([])
    expect(statSync(dir).mode & 0o777).toBe(0o700)
  })
})
