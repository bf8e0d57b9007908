/** A hub that dies, or a store that fails, at any step of a publication: nothing is linked, what was copied is collected, and the same request made again publishes. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { presignArtifacts, signUpload } from '../../src/checks/artifacts/presign-artifacts.ts'
import { claimCheck } from '../../src/checks/claim/claim-check.ts'
import { createCheck } from '../../src/checks/create/create-check.ts'
import { publishCheck } from '../../src/checks/publish/publish-check.ts'
import { reportCheck } from '../../src/checks/report/report-check.ts'
import { abortAbandoned, deleteDoomed } from '../../src/jobs/collect-objects.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import type { Db } from '../../src/store/db.ts'
import { ObjectStoreError } from '../../src/store/objects/object-store.ts'
import { testDb } from '../support/database.ts'
import { Died, deadDb, failing } from '../support/failing.ts'
import { makeWorld, type World, type WorldRepo } from '../support/world.ts'

const database = testDb()
const signal = new AbortController().signal
const artifacts = { 'robot_card.json': '{"dof":1}', 'meshes/a.obj': 'v 0 0 0' }
let world: World

beforeAll(async () => {
  world = await makeWorld({ db: database.db })
})
afterAll(() => world?.close())

interface Ended {
  readonly account: Awaited<ReturnType<World['user']>>
  readonly repo: WorldRepo
  readonly checkId: string
  readonly keys: readonly string[]
}

/** A check that waits to be published, and the objects that the store holds then. */
async function prepare(): Promise<Ended> {
  await collect()
  const account = await world.user()
  const repo = await world.repo(account, { kind: 'robot' })
  await world.upload(world.as(account), repo, 'arm.xml', Buffer.from(`<mujoco model="${repo.id}"/>`))
  const robotRepo = `${repo.owner}/${repo.repo}`
  const worker = world.as(account)
  const asked = { kind: 'robot', robotRepo, entry: 'arm.xml', controlHz: 50, action: 'position' } as const
  const { id: checkId } = await createCheck(worker, asked)
  await claimCheck(worker, { checkId, worker: 'box' })
  const files = Object.entries(artifacts).map(([name, text]) => ({ name, size: text.length }))
  const { uploads } = await presignArtifacts(worker, { checkId, files })
  for (const ticket of uploads) {
    const text = artifacts[ticket.name as keyof typeof artifacts]
    await world.putPart(await signUpload(worker, ticket), Buffer.from(text))
  }
  const report = { ok: true, grade: 'pass', source: 'job', engine: 'mujoco', checks: [] }
  const named = files.map(({ name }) => ({ path: name }))
  await reportCheck(worker, { checkId, status: 'succeeded', report, artifacts: named })
  return { account, repo, checkId, keys: await storedKeys() }
}

async function storedKeys(): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of world.disk.list('')) keys.push(key)
  return keys.toSorted()
}

const stateOf = async ({ account, repo, checkId }: Ended) => {
  const [row] = await world.sql<Record<string, unknown>>(
    `select (select json_agg(path order by path) from files where repo_id = $1 and to_seq is null) as files,
       (select count(*)::int from robot_cards where repo_id = $1) as cards,
       (select published_at is not null from robot_checks where id = $2) as published,
       (select reserved_bytes::int from accounts where id = $3) as reserved,
       (select pending_uploads from accounts where id = $3) as pending`,
    [repo.id, checkId, account.id],
  )
  return row
}
const nothing = { files: ['arm.xml'], cards: 0, published: false, reserved: 0, pending: 0 }
const whole = {
  files: ['arm.xml', 'meshes/a.obj', 'robot_card.json'],
  cards: 1,
  published: true,
  reserved: 0,
  pending: 0,
}

/** Everything that waits for its time, done. */
async function collect(): Promise<void> {
  await world.sql(
    `update uploads set touched_at = touched_at - interval '8 days', attempt_at = attempt_at - interval '8 days'`,
  )
  await abortAbandoned(world.deps, world.disk, signal)
  await world.sql(`update blobs set doomed_at = doomed_at - interval '8 days' where doomed_at is not null`)
  await deleteDoomed(world.deps, world.disk, signal)
}

/** Every object belongs to a live blob or an artifact, and every live blob has its object. */
async function expectNoLeak(): Promise<void> {
  const named = await world.sql<{ key: string }>(
    `select storage_key as key from blobs where state = 'live' union select storage_key from robot_check_artifacts`,
  )
  expect(await storedKeys()).toEqual(named.map(({ key }) => key).toSorted())
}

const publish = (ctx: RequestContext, { checkId }: Ended) => publishCheck(ctx, { checkId })

/** Two artifacts: copy and get of each. */
const STORE_CALLS = 4
const steps = Array.from({ length: STORE_CALLS }, (_, n) => n + 1).flatMap((at) => [
  [at, 'before'] as const,
  [at, 'after'] as const,
])

test('a publication of two artifacts makes four store calls', async () => {
  const made = await prepare()
  const counted = failing(world.disk, { at: Number.POSITIVE_INFINITY, when: 'before', error: new Died() }, false)
  await publish(world.with({ objects: counted.store }).as(made.account), made)
  expect(counted.calls()).toBe(STORE_CALLS)
  expect(await stateOf(made)).toEqual(whole)
  await expectNoLeak()
})

test.each(steps)(
  'a store that fails once at call %i (%s its effect) is 503, leaves nothing, and the same request then publishes',
  async (at, when) => {
    const made = await prepare()
    const error = new ObjectStoreError('unavailable', 'The store is away.')
    const broken = failing(world.disk, { at, when, error }, false)
    const attempt = publish(world.with({ objects: broken.store }).as(made.account), made)
    await expect(attempt).rejects.toMatchObject({ type: 'unavailable' })
    expect(await stateOf(made)).toEqual(nothing)
    expect(await storedKeys()).toEqual(made.keys)
    await publish(world.as(made.account), made)
    expect(await stateOf(made)).toEqual(whole)
    await collect()
    await expectNoLeak()
  },
)

describe.each(steps)('a process that dies at store call %i (%s its effect) links nothing', (at, when) => {
  async function die(): Promise<Ended> {
    const made = await prepare()
    const broken = failing(world.disk, { at, when, error: new Died() }, true)
    const dying = world.with({ objects: broken.store }).as(made.account)
    const deps = { ...dying.deps, db: deadDb(database.db, () => broken.calls() >= at) }
    await expect(publish({ ...dying, deps }, made)).rejects.toBeInstanceOf(Died)
    expect(await stateOf(made)).toMatchObject({ files: ['arm.xml'], cards: 0, published: false, pending: 2 })
    return made
  }

  test('and what it copied is collected', async () => {
    const made = await die()
    await collect()
    expect(await stateOf(made)).toEqual(nothing)
    expect(await storedKeys()).toEqual(made.keys)
  })

  test('and the next request publishes once the lease has run out', async () => {
    const made = await die()
    await expect(publish(world.as(made.account), made)).rejects.toMatchObject({ type: 'conflict.in_progress' })
    await world.sql(`update uploads set attempt_at = attempt_at - interval '2 minutes' where account_id = $1`, [
      made.checkId,
    ])
    await publish(world.as(made.account), made)
    expect(await stateOf(made)).toEqual(whole)
    await collect()
    await expectNoLeak()
  })
})

/** Fails the transaction that links, after its work: it rolls back. `dead`: and every later one. */
function failingLink(dead: boolean): Db {
  let calls = 0
  return {
    ...database.db,
    withTx: (work) => {
      calls += 1
      // The first reserves.
      if (calls < 2 || (calls > 2 && !dead)) return database.db.withTx(work)
      return database.db.withTx(async (tx) => {
        await work(tx)
        throw new Died()
      })
    },
  }
}

test('a link that fails leaves neither a file nor a copy', async () => {
  const made = await prepare()
  const ctx = world.as(made.account)
  await expect(publish({ ...ctx, deps: { ...ctx.deps, db: failingLink(false) } }, made)).rejects.toBeInstanceOf(Died)
  expect(await stateOf(made)).toEqual(nothing)
  expect(await storedKeys()).toEqual(made.keys)
})

test('a process that dies between copy and link leaves no file, and its copies are collected', async () => {
  const made = await prepare()
  const ctx = world.as(made.account)
  await expect(publish({ ...ctx, deps: { ...ctx.deps, db: failingLink(true) } }, made)).rejects.toBeInstanceOf(Died)
  expect((await storedKeys()).length).toBe(made.keys.length + 2)
  await collect()
  expect(await stateOf(made)).toEqual(nothing)
  expect(await storedKeys()).toEqual(made.keys)
})

test('a publication whose copies were collected meanwhile links nothing', async () => {
  const made = await prepare()
  const ctx = world.as(made.account)
  const stolen: Db = {
    ...database.db,
    withTx: async (work) => {
      const done = await database.db.withTx(work)
      await collect()
      return done
    },
  }
  const late = publish({ ...ctx, deps: { ...ctx.deps, db: stolen } }, made)
  await expect(late).rejects.toMatchObject({ type: 'conflict.in_progress' })
  expect(await stateOf(made)).toEqual(nothing)
  await collect()
  await expectNoLeak()
})

test('a check that was published lets its snapshot go', async () => {
  const made = await prepare()
  const before = world.sent.length
  await publish(world.as(made.account), made)
  expect(world.sent.slice(before)).toEqual([{ job: 'files-unpin', input: { repoIds: [made.repo.id] } }])
  expect(await world.sql('select 1 from repo_references where referrer_id = $1', [made.checkId])).toEqual([])
})
