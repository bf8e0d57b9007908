/** A hub that is killed right after it was asked to cancel a hosted run: the next one ends the run and its process. */
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, expect, it } from 'vitest'
import { startThrowawayHub } from '../../scripts/demo/throwaway-hub.ts'
import { addUser } from '../../src/accounts/accounts.ts'
import { openSession } from '../../src/accounts/sessions.ts'
import { openAuth } from '../../src/auth/auth.ts'
import { noViewer } from '../../src/operation/audit.ts'
import { readConfig } from '../../src/platform/config.ts'
import { testDb } from '../support/database.ts'
import { isAlive } from '../support/hosted-function.ts'
import { openFolder, reachingCheckout } from '../support/open-folder.ts'
import { runFunction } from '../support/run-function.ts'

const dir = openFolder('hub-killed-cancel-')
const program = runFunction()
afterAll(() => {
  program.remove()
  rmSync(dir, { recursive: true, force: true })
})

const database = testDb()
const sql = <T>(text: string, values: unknown[] = []) => database.db.query<T>({ name: '', text }, values)
const patiently = { timeout: 120_000, interval: 200 }

it('a cancel is kept by the database, not by the hub that answered it', { timeout: 300_000 }, async () => {
  const settings = {
    DATABASE_URL: database.url,
    HUB_SECRET: randomBytes(32).toString('hex'),
    HUB_DATA_DIR: join(dir, 'data'),
    HOSTED_APP_NAME: 'coach',
    HOSTED_OWNERS: '*',
    HOSTED_COMMAND: program.command,
    ...reachingCheckout,
  }
  const config = readConfig(settings)
  const auth = await openAuth({ config, log: pino({ level: 'silent' }), db: database.db, secret: settings.HUB_SECRET })
  const { token } = await database.db.withTx(async (tx) => {
    const user = await addUser(tx, noViewer, { handle: 'trainer' })
    return openSession({ auth, tx, ctx: noViewer, user, ttlSeconds: 3600 })
  })
  await auth.close()
  const post = async (url: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answer = await fetch(url, { method: 'POST', headers, body: body === undefined ? null : JSON.stringify(body) })
    return { status: answer.status, json: await answer.json() }
  }
  let hub = await startThrowawayHub(settings)
  let pid = 0
  try {
    const recipe = { template: 'act', executor: 'hosted', gpu: 'l4', max_hours: 1, hyperparams: { how: 'stays' } }
    const { id } = (await post(`${hub.url}/v1/runs`, { recipe })).json
    await expect.poll(() => program.factsOf(id), patiently).not.toBeNull()
    pid = program.factsOf(id)?.pid ?? 0
    expect((await post(`${hub.url}/v1/runs/${id}/cancel`)).status).toBe(202)
    process.kill(hub.pid, 'SIGKILL')
    await hub.close()
    // The time that its function has to stop by itself.
    await sql(`update runs set cancel_requested_at = cancel_requested_at - make_interval(secs => 40) where id = $1`, [
      id,
    ])
    expect(isAlive(pid)).toBe(true)
    hub = await startThrowawayHub(settings)
    const statusOf = async () => (await sql<{ status: string }>('select status::text from runs where id = $1', [id]))[0]
    await expect.poll(statusOf, patiently).toEqual({ status: 'canceled' })
    await expect.poll(() => isAlive(pid), patiently).toBe(false)
    expect(await sql('select 1 from ledger where job_id = $1', [id])).toHaveLength(1)
    expect(await sql('select 1 from spend_reservations where job_id = $1', [id])).toEqual([])
  } finally {
    if (pid > 0 && isAlive(pid)) process.kill(pid, 'SIGKILL')
    await hub.close()
  }
})
