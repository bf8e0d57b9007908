/** A hub that dies, or a store that fails, at any step of a completion: the same request made again finishes it, and nothing is counted twice. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { completeUpload } from '../../src/files/complete-upload.ts'
import { presignUpload, signParts } from '../../src/files/presign-upload.ts'
import type { Db } from '../../src/store/db.ts'
import { type ObjectStore, ObjectStoreError } from '../../src/store/objects/object-store.ts'
import { announce } from '../../src/store/presence.ts'
import { testDb } from '../support/database.ts'
import { Died, deadDb, failing } from '../support/failing.ts'
import { makeWorld, sha256Of, type World } from '../support/world.ts'

const database = testDb()
let world: World

beforeAll(async () => {
  world = await makeWorld({ db: database.db })
})
afterAll(() => world?.close())

async function prepare() {
  const account = await world.user()
  const repo = await world.repo(account)
  const ctx = world.as(account)
  const contents = [randomBytes(30), randomBytes(40)]
  const files = contents.map((bytes, n) => ({ path: `f${n}`, size: bytes.length, sha256: sha256Of(bytes) }))
  const { uploads } = await presignUpload(ctx, { ...repo, files })
  const named = []
  for (const [n, ticket] of uploads.entries()) {
    const [part] = await signParts(ctx, ticket)
    const etag = await world.putPart(part?.url ?? '', contents[n] as Uint8Array)
    named.push({ path: ticket.path, uploadId: ticket.uploadId, parts: [{ partNumber: 1, etag }] })
  }
  return { account, repo, ctx, named }
}

type Prepared = Awaited<ReturnType<typeof prepare>>

async function expectWhole({ repo }: Prepared) {
  const [row] = await world.sql(
    `select r.file_count, r.total_bytes, r.verified_count, a.storage_bytes, a.reserved_bytes
     from repos r join accounts a on a.id = r.owner_id where r.id = $1`,
    [repo.id],
  )
  expect(row).toEqual({ file_count: 2, total_bytes: 70, verified_count: 2, storage_bytes: 70, reserved_bytes: 0 })
}

async function expectNothingLinked({ repo }: Prepared) {
  expect(await world.sql('select 1 from files where repo_id = $1', [repo.id])).toEqual([])
}

/** Two files: list, complete, get of each. */
const STORE_CALLS = 6

test('a completion of two files makes six store calls', async () => {
  const made = await prepare()
  const counted = failing(world.disk, { at: Number.POSITIVE_INFINITY, when: 'before', error: new Died() }, false)
  await completeUpload(world.with({ objects: counted.store }).as(made.account), { ...made.repo, uploads: made.named })
  expect(counted.calls()).toBe(STORE_CALLS)
  await expectWhole(made)
})

const steps = Array.from({ length: STORE_CALLS }, (_, n) => n + 1).flatMap((at) => [
  [at, 'before'] as const,
  [at, 'after'] as const,
])

test.each(steps)(
  'a store that fails once at call %i (%s its effect) is 503, and the same request then completes',
  async (at, when) => {
    const made = await prepare()
    const error = new ObjectStoreError('unavailable', 'The store is away.')
    const broken = failing(world.disk, { at, when, error }, false)
    const attempt = completeUpload(world.with({ objects: broken.store }).as(made.account), {
      ...made.repo,
      uploads: made.named,
    })
    await expect(attempt).rejects.toMatchObject({ type: 'unavailable' })
    await expectNothingLinked(made)
    await completeUpload(made.ctx, { ...made.repo, uploads: made.named })
    await expectWhole(made)
  },
)

/** Claims both uploads as the hub `instance`, and dies at the store call of that number. */
async function dieAt(made: Prepared, at: number, when: 'before' | 'after', instance: number | null) {
  const broken = failing(world.disk, { at, when, error: new Died() }, true)
  const events = { ...world.deps.events, instance }
  const dying = world.with({ objects: broken.store, events }).as(made.account)
  const deps = { ...dying.deps, db: deadDb(database.db, () => broken.calls() >= at) }
  await expect(completeUpload({ ...dying, deps }, { ...made.repo, uploads: made.named })).rejects.toBeInstanceOf(Died)
  await expectNothingLinked(made)
}

/** A number that no hub has. */
const GONE = 7

test.each(steps)(
  'a process that dies at store call %i (%s its effect) is taken over at once by the same request',
  async (at, when) => {
    const made = await prepare()
    await dieAt(made, at, when, GONE)
    await completeUpload(made.ctx, { ...made.repo, uploads: made.named })
    await expectWhole(made)
  },
)

test.each([
  ['is there, and only slow', true],
  ['is not known', false],
])('a completion whose hub %s keeps its uploads until its lease has run out', async (_, isThere) => {
  const made = await prepare()
  const client = await database.db.pool.connect()
  onTestFinished(() => client.release(true))
  await dieAt(made, 1, 'before', isThere ? await announce(client) : null)
  await expect(completeUpload(made.ctx, { ...made.repo, uploads: made.named })).rejects.toMatchObject({
    type: 'conflict.in_progress',
  })
  await world.sql(`update uploads set attempt_at = attempt_at - interval '11 minutes' where repo_id = $1`, [
    made.repo.id,
  ])
  await completeUpload(made.ctx, { ...made.repo, uploads: made.named })
  await expectWhole(made)
})

/** The store calls of one file, before which its completion may be taken over. */
const calls = ['listParts', 'completeUpload', 'get'] as const
// The store may have deleted the object by then: the other completion linked equal bytes.
const takenOver = calls.flatMap((call) => [[call, 'there'] as const, [call, 'gone'] as const])

test.each(takenOver)(
  'a completion that was taken over before its %s cannot link any more, its object %s',
  async (call, object) => {
    const made = await prepare()
    const steal = async () => {
      await world.sql(`update uploads set attempt_at = attempt_at - interval '11 minutes' where repo_id = $1`, [
        made.repo.id,
      ])
      await completeUpload(made.ctx, { ...made.repo, uploads: made.named })
    }
    // Both files have come as far before the other completion begins, and neither continues before that one is through.
    const stolen = Promise.withResolvers<void>()
    let arrived = 0
    const stealing = new Proxy<ObjectStore>(world.disk, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (name !== call || typeof member !== 'function')
          return typeof member === 'function' ? member.bind(target) : member
        return async (...args: unknown[]) => {
          arrived += 1
          if (arrived === made.named.length) steal().then(stolen.resolve, stolen.reject)
          await stolen.promise
          if (object === 'gone') await world.disk.delete([args[0] as string])
          return member.apply(target, args) as unknown
        }
      },
    })
    const late = completeUpload(world.with({ objects: stealing }).as(made.account), {
      ...made.repo,
      uploads: made.named,
    })
    await expect(late).rejects.toMatchObject({ type: 'conflict.in_progress' })
    if (object === 'there') await expectWhole(made)
  },
)

test('a link transaction that fails leaves all uploads completable', async () => {
  const made = await prepare()
  let calls = 0
  const db: Db = {
    ...database.db,
    withTx: (work) => {
      calls += 1
      if (calls !== 2) return database.db.withTx(work)
      return database.db.withTx(async (tx) => {
        await work(tx)
        throw new Died()
      })
    },
  }
  const ctx = { ...made.ctx, deps: { ...made.ctx.deps, db } }
  await expect(completeUpload(ctx, { ...made.repo, uploads: made.named })).rejects.toBeInstanceOf(Died)
  await expectNothingLinked(made)
  expect(await world.sql('select distinct state from uploads where repo_id = $1', [made.repo.id])).toEqual([
    { state: 'assembled' },
  ])
  await completeUpload(made.ctx, { ...made.repo, uploads: made.named })
  await expectWhole(made)
})

test('a presign whose store fails half way leaves nothing in the database or the store', async () => {
  const account = await world.user()
  const repo = await world.repo(account)
  const broken = failing(
    world.disk,
    { at: 5, when: 'before', error: new ObjectStoreError('unavailable', 'away') },
    false,
  )
  const files = Array.from({ length: 8 }, (_, n) => ({ path: `f${n}`, size: 1, sha256: '0'.repeat(64) }))
  await expect(
    presignUpload(world.with({ objects: broken.store }).as(account), { ...repo, files }),
  ).rejects.toMatchObject({ type: 'unavailable' })
  expect(await world.sql('select 1 from uploads where repo_id = $1', [repo.id])).toEqual([])
  expect(await world.sql('select reserved_bytes from accounts where id = $1', [account.id])).toEqual([
    { reserved_bytes: 0 },
  ])
  const known = await world.sql<{ storage_key: string }>('select storage_key from uploads')
  for await (const upload of world.disk.listUploads(new Date(Date.now() + 1000))) {
    expect(known.map((row) => row.storage_key)).toContain(upload.key)
  }
})
