// @module-tag long
/**
 * Two processes on one port, attacked: budgets that both spend at once, decisions and jobs under which one of them
 * dies, and an end in the middle of writes.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { afterAll, describe, expect, it } from 'vitest'
import { addApiKey } from '../../src/accounts/api-keys.ts'
import { findAccount } from '../../src/accounts/find-account.ts'
import { MAX_PENDING_UPLOADS } from '../../src/files/limits.ts'
import { noViewer } from '../../src/operation/audit.ts'
import { hostedFunction } from '../support/hosted-function.ts'
import { isRunning, untilAllServe } from '../support/hub-deaths.ts'
import { killableHub } from '../support/killable-hub.ts'
import { reachingCheckout } from '../support/open-folder.ts'
import { workersOf } from '../support/worker-processes.ts'

const settings = { WORKERS: '2' }
const program = hostedFunction()
afterAll(() => program.remove())
const QUOTA = 1_000_000
const { database, made, start, signIn } = killableHub({
  ...settings,
  ...reachingCheckout,
  HOSTED_APP_NAME: 'coach',
  HOSTED_OWNERS: 'ada',
  HOSTED_COMMAND: program.command,
  // One hosted check reserves 0.2.
  HOSTED_ALLOWANCE_USD: '0.3',
  ROBOT_CHECK_DAILY_QUOTA: '10',
  STORAGE_QUOTA_BYTES: String(QUOTA),
})
const sql = <T>(text: string, values: unknown[] = []) => database.db.query<T>({ name: '', text }, values)

type Json = ReturnType<typeof JSON.parse>
interface Answer {
  readonly status: number
  readonly json: Json
}

/** For each request a connection of its own, so that both processes get some. */
const apart = new Agent({ keepAlive: false })

/** Null for a request whose process was killed before it answered, and for one that none accepted. */
function call(method: string, path: string, body?: object, token = made.token): Promise<Answer | null> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    const sent = request(`${made.url}${path}`, { method, agent: apart, headers }, (response) => {
      let text = ''
      response.on('data', (piece) => {
        text += piece
      })
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, json: text === '' ? null : JSON.parse(text) }),
      )
      response.on('error', () => resolve(null))
    })
    sent.on('error', () => resolve(null))
    sent.end(body && JSON.stringify(body))
  })
}

/** So many at once: how many were answered with what. */
async function answersOf(count: number, ask: (n: number) => Promise<Answer | null>): Promise<Record<string, number>> {
  const answers = await Promise.all(Array.from({ length: count }, (_, n) => ask(n)))
  const counts: Record<string, number> = {}
  for (const answer of answers) {
    const what = `${answer?.status} ${answer?.json.errors?.[0]?.type ?? ''}`.trim()
    counts[what] = (counts[what] ?? 0) + 1
  }
  return counts
}

const soon = { timeout: 100_000 }
const presign = (slug: string, path: string, size: number, sha256 = 'a'.repeat(64)) =>
  call('POST', `/v1/repos/ada/${slug}/files/presign-upload`, { files: [{ path, size, sha256 }] })

async function newRepo(slug: string, kind = 'dataset'): Promise<string> {
  const created = await call('POST', '/v1/repos', { slug, kind })
  expect(created?.status).toBe(201)
  return created?.json.id
}

async function write(slug: string, path: string, text: string): Promise<void> {
  const asked = await presign(slug, path, text.length, createHash('sha256').update(text).digest('hex'))
  expect(asked?.status).toBe(200)
  const [{ upload_id, parts }] = asked?.json.uploads ?? []
  const sent = await fetch(parts[0].url, { method: 'PUT', body: text })
  const uploads = [{ path, upload_id, parts: [{ part_number: 1, etag: sent.headers.get('etag') }] }]
  expect((await call('POST', `/v1/repos/ada/${slug}/files/complete`, { uploads }))?.status).toBe(200)
}

describe('two processes on one port', () => {
  let hub: Awaited<ReturnType<typeof start>>
  let session: string

  it('both serve', async () => {
    hub = await start()
    await untilAllServe(made.url, settings)
    session = await signIn()
  })

  /** One of the two, gone; the first does the background work. */
  async function killWorker(which: 0 | 1): Promise<void> {
    const pid = workersOf(hub.pid)[which] ?? 0
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => isRunning(pid), soon).toBe(false)
  }

  it('spend a budget once', async () => {
    await newRepo('crowded')
    await sql('update accounts set pending_uploads = $1', [MAX_PENDING_UPLOADS - 10])
    expect(await answersOf(30, (n) => presign('crowded', `f${n}`, 1))).toEqual({ 200: 10, '429 quota.uploads': 20 })
    await sql('delete from uploads')
    await sql('update accounts set pending_uploads = 0, reserved_bytes = 0')

    expect(await answersOf(30, (n) => presign('crowded', `g${n}`, QUOTA / 10))).toEqual({
      200: 10,
      '413 quota.storage': 20,
    })
    await sql('delete from uploads')
    await sql('update accounts set pending_uploads = 0, reserved_bytes = 0')
  })

  it('hold what an agent may not spend, and approve it once although one of them dies', {
    timeout: 300_000,
  }, async () => {
    await newRepo('arm', 'robot')
    await write('arm', 'arm.xml', '<mujoco/>')
    const agent = await database.db.withTx(async (tx) => {
      const owner = await findAccount(tx, 'ada')
      const input = { name: 'agent', scope: 'train', agent: true } as const
      return (await addApiKey({ tx, ctx: noViewer, owner, createdBy: null, input })).token
    })
    const check = {
      kind: 'robot',
      robot_repo: 'ada/arm',
      entry: 'arm.xml',
      control_hz: 50,
      action: 'position',
      executor: 'hosted',
    }
    const filed = await answersOf(6, () => call('POST', '/v1/robot-checks', check, agent))
    expect(filed).toEqual({ 201: 1, 202: 5 })
    const holds = await sql<{ id: string }>(`select id from spend_holds where status = 'pending'`)
    expect(holds).toHaveLength(5)

    const approvals = holds.flatMap(({ id }) =>
      Array.from({ length: 3 }, () => call('POST', `/v1/spend/holds/${id}/approve`, {}, session)),
    )
    await Promise.race(approvals)
    await killWorker(1)
    const decided = (await Promise.all(approvals)).map((answer) => answer?.status ?? 'lost')
    expect(decided.filter((status) => ![200, 409, 'lost'].includes(status))).toEqual([])
    await untilAllServe(made.url, settings)
    for (const { id } of holds) {
      // Whichever of the answers were lost.
      const again = await call('POST', `/v1/spend/holds/${id}/approve`, {}, session)
      expect(again?.status).toBeOneOf([200, 409])
    }
    const results = await sql<{ status: string; result: string | null }>(
      'select status, result_id as result from spend_holds order by id',
    )
    expect(results.map(({ status }) => status)).toEqual(holds.map(() => 'approved'))
    expect(new Set(results.map(({ result }) => result)).size).toBe(holds.length)
    expect(await sql('select count(*)::int as checks from robot_checks')).toEqual([{ checks: holds.length + 1 }])
  })

  it('finish a job whose process dies at work on it', { timeout: 300_000 }, async () => {
    const repoId = await newRepo('doomed')
    await write('doomed', 'a.txt', 'one')
    const rows = `select count(*)::int as left from repo_changes where repo_id = $1`
    const purges = () => sql<{ state: string }>(`select state from pgboss.job where name = 'repo-purge'`)
    await database.db.withTx(async (tx) => {
      // The job waits for these rows.
      await tx.execute('select 1 from repo_changes where repo_id = $1 for update', [repoId])
      expect((await call('DELETE', '/v1/repos/ada/doomed'))?.status).toBe(204)
      await expect.poll(purges, soon).toEqual([{ state: 'active' }])
      await killWorker(0)
      expect(await purges()).toEqual([{ state: 'active' }])
    })
    // A job of a dead process is looked for by its last sign, which is older now.
    await sql(
      `update pgboss.job set heartbeat_on = now() - interval '1 hour' where name = 'repo-purge' and state = 'active'`,
    )
    await untilAllServe(made.url, settings)
    await expect.poll(purges, soon).toEqual([{ state: 'completed' }])
    expect(await sql(rows, [repoId])).toEqual([{ left: 0 }])
  })

  it('answer what they have begun before they stop', async () => {
    const kept: string[] = []
    let isOver = false
    const enough = Promise.withResolvers<void>()
    const write = async (writer: number) => {
      for (let n = 0; !isOver; n += 1) {
        const slug = `last-${writer}-${n}`
        const answer = await call('POST', '/v1/repos', { slug, kind: 'dataset' })
        // 503 is a refusal.
        if (answer?.status === 201) kept.push(slug)
        else expect(answer?.status ?? 'refused').toBeOneOf(['refused', 503])
        if (kept.length === 30) enough.resolve()
      }
    }
    const load = Promise.all([1, 2, 3, 4, 5, 6].map(write))
    await enough.promise
    const serving = workersOf(hub.pid)
    const ended = once(hub, 'exit')
    hub.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    isOver = true
    await load
    expect(serving.filter(isRunning)).toEqual([])
    const rows = await sql<{ slug: string }>(`select slug from repos where slug like 'last-%'`)
    expect(rows.map(({ slug }) => slug).sort()).toEqual(kept.sort())
  })
})
