/** A hub with its database in this process, for benches that measure its event loop. */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { addUser } from '../../src/accounts/accounts.ts'
import { openSession } from '../../src/accounts/sessions.ts'
import { openAuth } from '../../src/auth/auth.ts'
import { noViewer } from '../../src/operation/audit.ts'
import { readConfig } from '../../src/platform/config.ts'
import { startHub } from '../../src/start-hub.ts'
import { openDb } from '../../src/store/db.ts'
import { startEmbeddedPostgres } from '../../src/store/embedded-postgres.ts'
import type { LabHub } from '../support/hostile-lab.ts'

export interface BenchHub extends LabHub {
  readonly url: string
  close(): Promise<void>
}

/** Rate limits are off: the bench is one caller. */
export async function benchHub(): Promise<BenchHub> {
  const dataDir = mkdtempSync(join(tmpdir(), 'hub-bench-'))
  const log = pino({ level: 'silent' })
  const postgres = await startEmbeddedPostgres({ dataDir, log })
  const secret = 'a secret of more than thirty-two characters'
  const config = readConfig({
    PORT: '0',
    DATABASE_URL: postgres.url,
    HUB_SECRET: secret,
    HUB_DATA_DIR: dataDir,
    RATE_LIMIT_PER_MINUTE: '0',
  })
  const hub = await startHub(config, log)
  const db = openDb({ url: postgres.url, poolMax: 4 })
  const auth = await openAuth({ config, log, db, secret })
  const call: LabHub['call'] = async (who, method, path, body) => {
    const headers = { authorization: `Bearer ${who.token}`, 'content-type': 'application/json' }
    const response = await fetch(new URL(path, hub.url), { method, headers, body: JSON.stringify(body) })
    const text = await response.text()
    return { status: response.status, text, json: text === '' ? null : JSON.parse(text) }
  }
  const repo: LabHub['repo'] = async (who, change) =>
    (await call(who, 'POST', '/v1/repos', { slug: `repo-${Math.random().toString(36).slice(2)}`, ...change })).json
      .full_name
  return {
    url: hub.url,
    call,
    repo,
    async person() {
      const handle = `user-${Math.random().toString(36).slice(2)}`
      return db.withTx(async (tx) => {
        const user = await addUser(tx, noViewer, { handle })
        const session = await openSession({ auth, tx, ctx: noViewer, user, ttlSeconds: 3600 })
        return { id: user.id, handle, token: session.token }
      })
    },
    async upload(who, name, files) {
      const entries = Object.entries(files)
      const asked = entries.map(([path, bytes]) => ({
        path,
        size: Buffer.byteLength(bytes),
        sha256: createHash('sha256').update(bytes).digest('hex'),
      }))
      const { json } = await call(who, 'POST', `/v1/repos/${name}/files/presign-upload`, { files: asked })
      const uploads = []
      for (const [at, target] of json.uploads.entries()) {
        const response = await fetch(target.parts[0].url, { method: 'PUT', body: entries[at]?.[1] ?? '' })
        const parts = [{ part_number: 1, etag: response.headers.get('etag') }]
        uploads.push({ path: target.path, upload_id: target.upload_id, parts })
      }
      await call(who, 'POST', `/v1/repos/${name}/files/complete`, { uploads })
    },
    sql: (text, values = []) => db.query({ name: '', text }, values),
    async close() {
      await auth.close()
      await hub.stop()
      await db.close()
      await postgres.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
