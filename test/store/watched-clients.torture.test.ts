// @module-tag long
/** Statements on connections over which nothing comes any more, while they stay open. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { pino } from 'pino'
import { beforeAll, describe, expect, it as one, type TestContext } from 'vitest'
import { openDb } from '../../src/store/db.ts'
import { asUnavailable } from '../../src/store/db-errors.ts'
import { openEvents } from '../../src/store/events.ts'
import { openQueue } from '../../src/store/queue.ts'
import { type WatchedClients, watchedClients } from '../../src/store/watched-clients.ts'
import { testDb } from '../support/database.ts'
import { type FreezingProxy, freezingProxy } from './support/freezing-proxy.ts'

const t = testDb()

beforeAll(async () => {
  for (const name of ['copied', 'slow']) await t.db.query({ name: '', text: `create table ${name} (v text)` })
})

/** So long that the answer to a new connection has 4 s: on a machine with other work it takes more than half a second. */
const SILENT_MS = 8_000

/** A way to the server that nothing else goes. */
interface Line extends Pick<TestContext, 'expect'> {
  readonly proxy: FreezingProxy
  clients(stuckMs?: number): WatchedClients
  /** A connected client of the class, ended with `work`. */
  withClient<T>(work: (client: pg.Client) => Promise<T>, Client?: WatchedClients): Promise<T>
}

/** A test whose line is its own, so that others can wait at the same time: most of them are nothing but waiting. */
const onLine =
  (test: (line: Line) => Promise<void>) =>
  async ({ expect }: Pick<TestContext, 'expect'>) => {
    const proxy = await freezingProxy(t.url)
    const clients = (stuckMs: number | null = null) => watchedClients(proxy.url, { silentMs: SILENT_MS, stuckMs })
    const withClient: Line['withClient'] = async (work, Client = clients()) => {
      const client = new Client({ connectionString: proxy.url })
      client.on('error', () => undefined)
      await client.connect()
      try {
        return await work(client)
      } finally {
        await client.end()
      }
    }
    try {
      await test({ proxy, clients, withClient, expect })
    } finally {
      await proxy.close()
    }
  }
const it = one.concurrent

const silence = { code: 'ETIMEDOUT', message: 'The database server says nothing.' }
/** More than the limit, in which a statement without one would continue. */
const LONGER_MS = 1.4 * SILENT_MS

describe('on a server that says nothing', () => {
  it(
    'a statement fails, and its connection is not used again',
    onLine(async ({ proxy, withClient }) => {
      await withClient(async (client) => {
        proxy.freeze()
        await expect(client.query('select 1')).rejects.toMatchObject(silence)
        proxy.thaw()
        await expect(client.query('select 1')).rejects.toThrow('not queryable')
      })
    }),
  )

  it(
    'a connection that is being opened fails, and so does the next one at once',
    onLine(async ({ proxy, clients }) => {
      const Client = clients()
      proxy.freeze()
      const first = new Client({ connectionString: proxy.url })
      await expect(first.connect()).rejects.toMatchObject(silence)
      const second = new Client({ connectionString: proxy.url })
      const failed = second.connect()
      expect(second.connection.stream).toMatchObject({ connecting: false, pending: true })
      await expect(failed).rejects.toMatchObject(silence)
    }),
  )

  it(
    'a statement of a connection that was idle when the silence began fails too',
    onLine(async ({ proxy, clients, withClient }) => {
      const Client = clients()
      await withClient(async (idle) => {
        await withClient(async (busy) => {
          proxy.freeze()
          await expect(busy.query('select 1')).rejects.toMatchObject(silence)
          await expect(idle.query('select 1')).rejects.toMatchObject(silence)
        }, Client)
      }, Client)
    }),
  )

  it(
    'a connection ends without its goodbye',
    onLine(async ({ proxy, withClient }) => {
      await withClient(async () => proxy.freeze())
    }),
  )

  it.for([
    [
      'out',
      (client: pg.Client) =>
        client.query(copyTo(`copy (select repeat('x', 1000) from generate_series(1, 200000)) to stdout`)).resume(),
    ],
    ['in', (client: pg.Client) => Readable.from(endless()).pipe(client.query(copyFrom('copy copied from stdin')))],
  ] as const)('a copy %s fails', ([, copy], context) =>
    onLine(async ({ proxy, withClient }) => {
      await withClient(async (client) => {
        const stream = copy(client)
        const failed = new Promise((resolve) => stream.once('error', resolve))
        proxy.freeze()
        expect(await failed).toMatchObject(silence)
      })
    })(context),
  )

  it(
    'statements, transactions and Prisma of the hub are 503, and go on afterwards with a whole pool',
    onLine(async ({ proxy, expect }) => {
      const db = openDb({ url: proxy.url, poolMax: 2 })
      await db.query({ name: '', text: 'select 1' })
      proxy.freeze()
      const asked = [
        db.query({ name: '', text: 'select 1' }),
        db.withTx((tx) => tx.query({ name: '', text: 'select 1' })),
        db.query({ name: '', text: 'select 1' }),
        db.hasRoom(),
      ]
      // All at once: one that fails before its turn would be a rejection that nobody handles.
      const refused = { status: 'rejected', reason: { type: 'unavailable', facts: { retryAfterS: 2 } } }
      expect(await Promise.allSettled(asked)).toMatchObject(asked.map(() => refused))
      const ofPrisma = await db.prisma.account.findFirst().catch((error: unknown) => asUnavailable(error))
      expect(ofPrisma).toMatchObject({ type: 'unavailable' })
      proxy.thaw()
      await expect
        .poll(() => db.query({ name: '', text: 'select 1 as one' }).catch(() => null), { timeout: 100_000 })
        .toEqual([{ one: 1 }])
      expect(db.pool.waitingCount).toBe(0)
      expect(db.pool.totalCount).toBeLessThanOrEqual(2)
      await db.close()
    }),
  )

  it(
    'queue and events end their statements, and start and stop',
    onLine(async ({ proxy }) => {
      const log = pino({ level: 'silent' })
      const queue = await openQueue({ url: proxy.url, log })
      const events = openEvents({ url: proxy.url, log })
      proxy.freeze()
      events.hint('topic')
      await expect(openQueue({ url: proxy.url, log })).rejects.toThrow('says nothing')
      await events.close()
      await queue.stop()
    }),
  )
})

describe('on a server that answers', () => {
  it(
    'a statement may take as long as it takes',
    onLine(async ({ withClient }) => {
      const { rows } = await withClient((client) =>
        client.query(`select 'slept' as v from pg_sleep(${LONGER_MS / 1000})`),
      )
      expect(rows).toEqual([{ v: 'slept' }])
    }),
  )

  it(
    'a statement whose own connection is silent ends when its server would have ended it',
    onLine(async ({ proxy, clients, withClient }) => {
      const Client = clients(LONGER_MS)
      await withClient(async (client) => {
        proxy.freeze({ onlyThese: true })
        await expect(client.query('select 1')).rejects.toMatchObject(silence)
        await withClient(async (other) => expect((await other.query('select 1')).rowCount).toBe(1), Client)
      }, Client)
    }),
  )

  it(
    'a copy goes on while its reader or its writer is slow',
    onLine(async ({ withClient }) => {
      await withClient(async (client) => {
        await pipeline(Readable.from(slowly()), client.query(copyFrom('copy slow from stdin')))
        let bytes = 0
        const out = client.query(copyTo(`copy (select repeat('x', 1000) from generate_series(1, 20000)) to stdout`))
        for await (const chunk of out) {
          if (bytes === 0) await delay(LONGER_MS)
          bytes += (chunk as Buffer).length
        }
        expect(bytes).toBe(20_000 * 1001)
        expect((await client.query('select count(*)::int as n from slow')).rows).toEqual([{ n: 2 }])
      })
    }),
  )

  // These two by themselves: one keeps this process busy, one counts.
  one(
    'time in which this process did not listen does not count',
    onLine(async ({ withClient }) => {
      await withClient(async (client) => {
        const answer = client.query('select 1')
        const until = performance.now() + LONGER_MS
        while (performance.now() < until);
        expect((await answer).rowCount).toBe(1)
      })
    }),
  )

  one(
    'it is not asked while no statement waits, and not again for each that does',
    onLine(async ({ proxy, withClient }) => {
      await withClient(async (client) => {
        const before = proxy.opened
        await delay(LONGER_MS)
        expect(proxy.opened).toBe(before)
        await client.query(`select pg_sleep(${LONGER_MS / 1000})`)
        expect(proxy.opened - before).toBeGreaterThanOrEqual(1)
        expect(proxy.opened - before).toBeLessThanOrEqual(LONGER_MS / (SILENT_MS * 0.3))
      })
    }),
  )
})

function* endless() {
  for (;;) yield `${'x'.repeat(1000)}\n`
}

async function* slowly() {
  yield 'one\n'
  await delay(LONGER_MS)
  yield 'two\n'
}
