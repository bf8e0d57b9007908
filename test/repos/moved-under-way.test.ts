/** A repo that moves to another account after a request has found it: what that stores counts where the repo is. */
import { beforeAll, expect, it, vi } from 'vitest'
import { type Answer, contractHub, type Json, newName, type Person, sha256Of } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
let lab: string

beforeAll(async () => {
  ada = await hub.person()
  lab = await hub.org([{ user: ada.handle, role: 'owner' }])
})

/** The answer of a request that waits for the lock of the repo while that gets another owner and name. */
async function whileMoved(name: string, request: () => Promise<Answer>, to = lab): Promise<Answer> {
  const isWaiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    and query like '%from repos%'`
  const { asked } = await hub.running.deps.db.withTx(async (tx) => {
    const lock = `select r.id from repos r join accounts o on o.id = r.owner_id
      where o.handle || '/' || r.slug = $1 for update of r`
    const [repo] = await tx.query<Json>({ name: '', text: lock }, [name])
    const asked = request()
    await expect.poll(() => hub.sql(isWaiting), { timeout: 100_000 }).toHaveLength(1)
    const move = 'update repos set owner_id = (select id from accounts where handle = $2), slug = $3 where id = $1'
    await tx.query({ name: '', text: move }, [repo?.id, to, newName('moved')])
    return { asked }
  })
  return asked
}

/** What counts at an account, and the bytes of the open uploads that are its own. */
async function countsOf(handle: string): Promise<Json> {
  const [row] = await hub.sql<Json>(
    `select a.storage_bytes::int as stored, a.reserved_bytes::int as reserved, a.pending_uploads as pending,
      (select coalesce(sum(u.size), 0)::int from uploads u where u.owner_id = a.id
        and u.state in ('pending', 'completing', 'assembled')) as open
    from accounts a where a.handle = $1`,
    [handle],
  )
  return row
}

const bytes = 'fourteen bytes'
const content = { sha256: sha256Of(bytes), size: bytes.length }
const inBase64 = Buffer.from(bytes).toString('base64')

const requests: Record<string, [method: string, path: string, body: Json, after: { stored?: number; open?: number }]> =
  {
    'an upload that is presigned': [
      'POST',
      '/files/presign-upload',
      { files: [{ path: 'a', ...content }] },
      { open: 14 },
    ],
    'a content that is presigned': ['POST', '/blobs/presign', { blobs: [content] }, { open: 14 }],
    'a content that is sent ahead': ['POST', '/blobs', { contents: [inBase64] }, { open: 14 }],
    'a commit with its content': ['POST', '/commits', { add: [{ path: 'a', content: inBase64 }] }, { stored: 14 }],
  }

it.each(Object.entries(requests))('%s counts at the new owner', async (_what, [method, path, body, after]) => {
  const name = await hub.repo(ada)
  const [from, to] = [await countsOf(ada.handle), await countsOf(lab)]
  const answer = await whileMoved(name, () => hub.call(ada, method, `/v1/repos/${name}${path}`, body))
  expect([answer.status, answer.json.errors]).toEqual([200, undefined])
  expect(await countsOf(ada.handle)).toEqual(from)
  const { stored = 0, open = 0 } = after
  const pending = to.pending + (open > 0 ? 1 : 0)
  expect(await countsOf(lab)).toEqual({
    ...{ stored: to.stored + stored, reserved: to.reserved + open, pending, open: to.open + open },
  })
})

it('a file that is linked counts at the new owner', async () => {
  const { objects } = hub.running.deps
  if (!objects) throw new Error('The hub has no store.')
  const source = await hub.repo(ada)
  await hub.upload(ada, source, { 'b.txt': bytes })
  const name = await hub.repo(ada)
  const [from, to] = [await countsOf(ada.handle), await countsOf(lab)]
  // Between what finds the repo and what locks it, the first bytes of the file are read.
  const read = objects.get.bind(objects)
  const reading = vi.spyOn(objects, 'get').mockImplementationOnce(async (...of) => {
    await hub.sql(
      `update repos r set owner_id = (select id from accounts where handle = $2) from accounts o
        where o.id = r.owner_id and o.handle || '/' || r.slug = $1`,
      [name, lab],
    )
    return read(...of)
  })
  const link = { files: [{ path: 'a.txt', ...content }] }
  const answer = await hub.call(ada, 'POST', `/v1/repos/${name}/files/link`, link)
  reading.mockRestore()
  expect([answer.status, answer.json.missing]).toEqual([200, []])
  expect(await countsOf(ada.handle)).toEqual(from)
  expect(await countsOf(lab)).toEqual({ ...to, stored: to.stored + 14 })
})

it('a repo that was moved is not deleted under the name that it had', async () => {
  const name = await hub.repo(ada)
  const { id } = (await hub.call(ada, 'GET', `/v1/repos/${name}`)).json
  const answer = await whileMoved(name, () => hub.call(ada, 'DELETE', `/v1/repos/${name}`), ada.handle)
  expect(answer.status).toBe(404)
  expect(await hub.sql('select 1 from repos where id = $1', [id])).toHaveLength(1)
})

it('a robot that was moved is not checked at the cost of the account that it was of', async () => {
  const name = await hub.repo(ada, { kind: 'robot' })
  await hub.upload(ada, name, { 'arm.xml': '<mujoco/>' })
  const { db } = hub.running.deps
  const withTx = db.withTx.bind(db)
  const moving = vi.spyOn(db, 'withTx').mockImplementationOnce(async (work) => {
    await hub.sql(
      `update repos r set owner_id = (select id from accounts where handle = $2) from accounts o
        where o.id = r.owner_id and o.handle || '/' || r.slug = $1`,
      [name, lab],
    )
    return withTx(work)
  })
  const check = { kind: 'robot', robot_repo: name, entry: 'arm.xml', control_hz: 50, action: 'position' }
  const answer = await hub.call(ada, 'POST', '/v1/robot-checks', check)
  moving.mockRestore()
  expect(answer.status).toBe(404)
  expect(await hub.sql('select 1 from robot_checks where robot_repo_name = $1', [name])).toEqual([])
})
