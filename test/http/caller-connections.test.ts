// @module-tag own-graph
/** What one caller takes of the database's connections, by all the ways in. */
import { createSchema } from 'graphql-yoga'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SharedChanges } from '../../src/accounts/changes/shared-changes.ts'
import { currentViewer } from '../../src/auth/current-viewer.ts'
import { CallerConnections } from '../../src/http/caller-connections.ts'
import { createRateLimit } from '../../src/http/rate-limit.ts'
import type { Credentialed, RequestContext } from '../../src/operation/context.ts'
import { runLog } from '../../src/runs/log/run-log.ts'
import { column, columns } from '../../src/store/columns.ts'
import { withShare } from '../../src/store/connection-share.ts'
import { type Db, openDb } from '../../src/store/db.ts'
import { type Statement, statement } from '../../src/store/statement.ts'
import { JobLogs } from '../../src/work/log/shared-logs.ts'
import { testDb } from '../support/database.ts'
import { testServer } from './support/test-server.ts'

const CONNECTIONS = 10
const t = testDb({ poolMax: CONNECTIONS })
/** Statements wait for it, as slow ones wait for themselves. */
const LOCK = 41
const slow = { name: '', text: `select pg_advisory_xact_lock_shared(${LOCK})` }
const quick = { name: '', text: 'select 1' }

const schema = createSchema<RequestContext>({
  typeDefs: 'type Query { slow: Int slowPrisma: Int slowChange: Int quick: Int }',
  resolvers: {
    Query: {
      slow: (_root, _args, { deps }) => deps.db.query(slow).then(() => 1),
      slowPrisma: (_root, _args, { deps }) => deps.db.prisma.$executeRawUnsafe(slow.text).then(() => 1),
      slowChange: (_root, _args, { deps }) => inTransaction(deps.db),
      quick: (_root, _args, { deps }) => deps.db.query(quick).then(() => 1),
    },
  },
})

/** Also asks for something next to the transaction. */
const inTransaction = (db: Db) =>
  db.withTx(async (tx) => {
    await tx.query(slow)
    await db.query(quick)
    return 1
  })

const viewerOf = (authorization: string | undefined): Credentialed | { readonly kind: 'anonymous' } => {
  const [name = '', key = ''] = authorization?.split(' ')[1]?.split('-') ?? []
  if (name === '') return { kind: 'anonymous' }
  const id = `user_${name}`
  return {
    kind: 'key',
    credentialId: `key_${name}_${key}`,
    account: { id, kind: 'user', handle: name, name: null },
    personId: id,
    accountIds: [id],
    ownedOrgIds: [],
    level: 'write',
    repoIds: null,
    agent: false,
    name,
    dailyGpuHourQuota: null,
    expiresAt: null,
  }
}

const opened: { readonly close: () => Promise<unknown> }[] = []
let open: () => Promise<void>
/** Holds the lock, and looks on. */
let beside: Db
beforeAll(() => {
  beside = openDb({ url: t.url, poolMax: 2 })
})
afterAll(() => beside.close())
beforeEach(async () => {
  const holder = await beside.pool.connect()
  await holder.query(`select pg_advisory_lock(${LOCK})`)
  let isOpen = false
  open = async () => {
    if (isOpen) return
    isOpen = true
    await holder.query(`select pg_advisory_unlock(${LOCK})`)
    holder.release()
  }
})
afterEach(async () => {
  await open()
  for (const app of opened.splice(0)) await app.close()
})

function start(env: Record<string, string> = {}) {
  const { app } = testServer({
    db: t.db,
    env: { DATABASE_POOL_MAX: String(CONNECTIONS), ...env },
    parts: { schema, authenticate: async ({ headers }) => viewerOf(headers.authorization) },
  })
  opened.push(app)
  return async (query: string, who: string | null = null) => {
    const response = await app.inject({
      method: 'POST',
      url: '/graphql',
      headers: { 'content-type': 'application/json', ...(who && { authorization: `Bearer ${who}` }) },
      payload: JSON.stringify({ query }),
    })
    return response.json()
  }
}

const waiting = {
  name: '',
  text: `select pid from pg_locks where locktype = 'advisory' and objid = ${LOCK} and not granted`,
}
const statements = async () => (await beside.query(waiting)).length
const times = (count: number, field: string) =>
  `{ ${Array.from({ length: count }, (_, at) => `a${at}: ${field}`).join(' ')} }`

describe('statements of one operation', () => {
  it.each(['slow', 'slowPrisma'])('have two of ten connections for an anonymous address (%s)', async (field) => {
    const ask = start()
    const slowOnes = ask(times(20, field))
    await expect.poll(statements).toBe(2)
    const [mine, others] = [ask('{ quick }'), ask('{ quick }', 'ann')]
    expect(await others).toEqual({ data: { quick: 1 } })
    expect(await statements()).toBe(2)
    await open()
    expect(Object.values((await slowOnes).data)).toEqual(Array.from({ length: 20 }, () => 1))
    expect(await mine).toEqual({ data: { quick: 1 } })
  })

  it('have five of ten for an account, over all its keys', async () => {
    const ask = start()
    const slowOnes = ['ann-1', 'ann-2', 'ann-3'].map((key) => ask(times(5, 'slow'), key))
    await expect.poll(statements).toBe(5)
    expect(await ask('{ quick }', 'bob')).toEqual({ data: { quick: 1 } })
    expect(await ask('{ quick }')).toEqual({ data: { quick: 1 } })
    expect(await statements()).toBe(5)
    await open()
    for (const { errors } of await Promise.all(slowOnes)) expect(errors).toBeUndefined()
  })

  it('in transactions count while these have their connection, and those beside it wait for none', async () => {
    const ask = start()
    const changes = ask(times(12, 'slowChange'), 'ann')
    await expect.poll(statements).toBe(5)
    await open()
    expect((await changes).errors).toBeUndefined()
  })

  it('are not counted where the operator has turned the limits off', async () => {
    const ask = start({ RATE_LIMIT_PER_MINUTE: '0' })
    const slowOnes = ask(times(7, 'slow'))
    await expect.poll(statements).toBe(7)
    await open()
    expect((await slowOnes).errors).toBeUndefined()
  })
})

describe('the time for which statements hold connections', () => {
  const connections = () => new CallerConnections(createRateLimit(100), CONNECTIONS)

  it('is 20 s a minute for an anonymous address, whatever it came from', async () => {
    const known = connections()
    const address = known.of({ address: '2001:db8::1' })
    for (const heldMs of [12_000, 9000]) (await address.take())(heldMs, true)
    await expect(known.of({ address: '2001:db8::2' }).take()).rejects.toMatchObject({
      type: 'rate.limited',
      message: expect.stringMatching(/More than 20000 ms of database time in a minute/),
    })
    await expect(known.of({ address: '2001:db9::1' }).take()).resolves.toBeTypeOf('function')
  })

  const caller = { credentialId: 'key_1', accountIds: ['org_1', 'user_1'] }

  it('is not limited for an account', async () => {
    const account = connections().of(caller)
    for (let at = 0; at < 5; at += 1) (await account.take())(30_000, true)
  })

  it('counts as the time of an account, where its processor time is limited and a read takes over 100 ms', async () => {
    const rate = createRateLimit(100, 2000)
    const account = new CallerConnections(rate, CONNECTIONS).of(caller)
    for (let at = 0; at < 50; at += 1)
      (await account.take())(100, true)
      // A transaction, or a statement that writes, may have waited for a lock.
    ;(await account.take())(30_000, false)
    ;(await account.take())(1900, true)
    rate.assertTime(caller, 'processor')
    ;(await account.take())(101, true)
    expect(() => rate.assertTime(caller, 'processor')).toThrow(/More than 2000 ms of processor time in a minute/)
    await expect(account.take()).rejects.toMatchObject({ type: 'rate.limited' })
  })

  it('is told when a connection is given back, and whether it was a read', async () => {
    const held: [ms: number, isRead: boolean][] = []
    const share = { take: async () => (ms: number, isRead: boolean) => void held.push([ms, isRead]) }
    const run = (...statements: readonly Statement<unknown>[]) =>
      withShare(share, async () => {
        for (const statement of statements) await t.db.query(statement)
        await t.db.prisma.$queryRawUnsafe('select 1')
        await t.db.withTx(async (tx) => void (await tx.query(quick)))
      })
    const one = columns({ one: column.int4('1') })
    const kept = statement({ name: 'test-kept', columns: one, text: `select ${one.sql}` })
    const written = statement({ name: 'test-written', text: 'update accounts set name = name where false' })
    await run({ name: '', text: 'select pg_sleep(0.05)' }, kept, written)
    expect(held.map(([, isRead]) => isRead)).toEqual([true, true, false, true, false])
    expect(held[0]?.[0]).toBeGreaterThanOrEqual(49)
  })
})

it('a read for several callers waits for the share of none', async () => {
  const none = { take: () => Promise.reject(new Error('The share is used up.')) }
  const ann = viewerOf('Bearer ann') as Credentialed
  await withShare(none, async () => {
    await expect(t.db.query(quick)).rejects.toThrow('The share is used up.')
    expect(await new JobLogs({ db: t.db, objects: null }).head(runLog, 'run_1', 0)).toBeNull()
    expect(await currentViewer(t.db, ann)).toBeNull()
    await new SharedChanges(t.db).page({ kind: 'run', ownerId: 'user_1', after: 0 } as never)
  })
})
