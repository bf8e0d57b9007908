/** A push that counts on contents of an earlier one, against the hub's own answer when it has collected them. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHubClient, pushFolder } from '@hub/client/internal'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { silent } from '../../packages/client/src/progress.ts'
import { abortAbandoned } from '../../src/jobs/collect-objects.ts'
import { contractHub, newName, type Person } from '../support/hub.ts'

const hub = contractHub()
let base: string
let ada: Person

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-collected-'))
  ada = await hub.person()
})
afterAll(() => rm(base, { recursive: true, force: true }))

it.each([false, true])(
  'names what was stored ahead, and sends it again if it is collected: %s',
  async (isCollected) => {
    const [dir, slug] = [join(base, `${isCollected}`), newName()]
    await mkdir(dir)
    for (let index = 0; index < 60; index += 1) await writeFile(join(dir, `${index}`), `${slug} ${index}`)
    const stop = new AbortController()
    const push = (signal: AbortSignal) => {
      const client = createHubClient({ url: hub.running.url, token: ada.token, signal })
      let isSending = false
      let stored = 0
      const progress = {
        ...silent,
        begin: (phase: string) => {
          isSending = phase === 'send'
        },
        // The first push ends when the last file is stored, before its commit.
        file: () => {
          if (isSending) stored += 1
          if (stored === 60) stop.abort(new Error('stopped'))
        },
      }
      const options = { cacheDir: join(base, 'cache'), kind: 'dataset' as const, progress }
      return pushFolder(client, { owner: ada.handle, slug }, dir, options)
    }
    await expect(push(stop.signal)).rejects.toMatchObject({ done: { files: 60 } })
    if (isCollected) {
      await hub.sql(`update uploads set touched_at = now() - interval '8 days' where owner_id = $1 returning id`, [
        ada.id,
      ])
      const { deps } = hub.running
      if (!deps.objects) throw new Error('The hub of the test has a store.')
      await abortAbandoned(deps, deps.objects, new AbortController().signal)
    }
    const report = await push(new AbortController().signal)
    expect(report).toMatchObject({ failed: [], skipped: 0 })
    expect([report.sent.length, report.linked.length]).toEqual(isCollected ? [60, 0] : [0, 60])
    expect(await push(new AbortController().signal)).toMatchObject({ skipped: 60, sent: [] })
  },
)
