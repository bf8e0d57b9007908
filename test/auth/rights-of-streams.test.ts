/** What a stream shows is seen with rights that its caller still had after it was read. Contract, "Subscriptions". */
import { setTimeout } from 'node:timers/promises'
import { newId } from '@hub/formats/ids'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readAsNow } from '../../src/auth/current-viewer.ts'
import { readTogether } from '../../src/auth/read-together.ts'
import type { AccountRef, Viewer } from '../../src/operation/context.ts'
import { numberOfEvent } from '../../src/operation/shared-event.ts'
import type { Querier } from '../../src/store/db.ts'
import { testDb } from '../support/database.ts'
import { makeWorld, type World } from '../support/world.ts'

const database = testDb()
let world: World
beforeAll(async () => {
  world = await makeWorld({ db: database.db })
})
afterAll(() => world?.close())

/** A person who is signed in, as the database knows them. */
async function signedIn(person: AccountRef): Promise<Viewer> {
  const id = newId('sess')
  await world.sql("insert into sessions (id, account_id, expires_at) values ($1, $2, now() + interval '1 hour')", [
    id,
    person.id,
  ])
  const { viewer } = world.as(person, { credentialId: id })
  const seen = await readAsNow(database.db, viewer, async () => 'anything')
  if (!seen) throw new Error('The session has just begun.')
  return seen.viewer
}

const orgsOf = (viewer: Viewer) => (viewer.kind === 'anonymous' ? [] : viewer.accountIds.slice(1))

describe('a read of a stream', () => {
  it('shows nothing if the credential ended while it was in progress', async () => {
    const viewer = await signedIn(await world.user())
    const seen = await readAsNow(database.db, viewer, async () => {
      await world.sql('update sessions set revoked_at = now() where id = $1', [
        viewer.kind === 'anonymous' ? '' : viewer.credentialId,
      ])
      return 'written after that'
    })
    expect(seen).toBeNull()
  })

  it('is made again with the rights of now if the person left an org while it was in progress', async () => {
    const person = await world.user()
    await world.org([person])
    const viewer = await signedIn(person)
    const reads: (readonly string[])[] = []
    const seen = await readAsNow(database.db, viewer, async (asked) => {
      if (reads.length === 0) await world.sql('delete from memberships where user_id = $1', [person.id])
      reads.push(orgsOf(asked))
      return orgsOf(asked).length > 0 ? "the org's" : null
    })
    expect(seen).toBeNull()
    expect(reads.map(({ length }) => length)).toEqual([1, 0])
  })

  it('finds what the person may see only now', async () => {
    const person = await world.user()
    const viewer = await signedIn(person)
    await world.org([person])
    const seen = await readAsNow(database.db, viewer, async (asked) => (orgsOf(asked).length > 0 ? "the org's" : null))
    expect(seen?.found).toBe("the org's")
  })

  it('is made once, with one more statement, while the rights stay', async () => {
    const viewer = await signedIn(await world.user())
    const statements = database.record()
    let reads = 0
    await readAsNow(database.db, viewer, async () => {
      reads += 1
      return 'it'
    })
    expect([reads, statements.length]).toEqual([1, 1])
  })
})

describe('the rights of streams that are woken together', () => {
  /** A database whose answers wait until they are let through. */
  function slowDatabase() {
    const waiting: (() => void)[] = []
    const db = {
      query: (...asked: Parameters<typeof database.db.query>) =>
        new Promise((resolve) => waiting.push(() => resolve(database.db.query(...asked)))),
    } as unknown as Querier
    return { db, waiting }
  }

  it('are looked up by one statement at a time, for all that asked meanwhile', async () => {
    const { db, waiting } = slowDatabase()
    const viewers = await Promise.all(Array.from({ length: 3 }, async () => signedIn(await world.user())))
    const shown = viewers.flatMap((viewer) =>
      Array.from({ length: 50 }, (_, at) => readAsNow(db, viewer, () => setTimeout(at % 7, 'it'))),
    )
    await expect.poll(() => waiting.length).toBe(1)
    await setTimeout(50)
    expect(waiting).toHaveLength(1)
    waiting.shift()?.()
    await expect.poll(() => waiting.length).toBe(1)
    waiting.shift()?.()
    expect((await Promise.all(shown)).map((seen) => seen?.found)).toEqual(shown.map(() => 'it'))
    expect(waiting).toEqual([])
  })

  it('are looked up again after a statement that failed', async () => {
    const viewer = await signedIn(await world.user())
    let fails = true
    const db = {
      query: async (...asked: Parameters<typeof database.db.query>) => {
        if (fails) throw new Error('The database is away.')
        return database.db.query(...asked)
      },
    } as unknown as Querier
    await expect(readAsNow(db, viewer, async () => 'it')).rejects.toThrow('away')
    fails = false
    expect((await readAsNow(db, viewer, async () => 'it'))?.found).toBe('it')
  })
})

describe('reads that streams ask for together', () => {
  const db = () => ({}) as unknown as Querier

  it('are made once for each key, and what several are told is one event', async () => {
    const made: string[] = []
    const ask = (from: Querier, key: string) =>
      readTogether(from, key, async () => {
        made.push(key)
        return { key }
      })
    const one = db()
    const found = await Promise.all([ask(one, 'a'), ask(one, 'b'), ask(one, 'a'), ask(one, 'a'), ask(db(), 'a')])
    expect(made).toEqual(['a', 'b', 'a'])
    expect(new Set(found).size).toBe(3)
    expect(found.map((thing) => numberOfEvent(thing) !== null)).toEqual([true, false, true, true, false])
  })

  it('begin after all who share them asked: who asks during one gets the next', async () => {
    const one = db()
    let version = 1
    const { promise: begun, resolve: begins } = Promise.withResolvers<void>()
    const { promise: ends, resolve: end } = Promise.withResolvers<void>()
    const read = async () => {
      const seen = { version }
      begins()
      await ends
      return seen
    }
    const first = readTogether(one, 'a', read)
    await begun
    version = 2
    const second = readTogether(one, 'a', read)
    end()
    expect([await first, await second]).toEqual([{ version: 1 }, { version: 2 }])
  })

  it('tell a failure to those who wait for it alone', async () => {
    const one = db()
    const failing = () => readTogether(one, 'a', () => Promise.reject(new Error('away')))
    const told = await Promise.allSettled([failing(), failing()])
    expect(told.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await readTogether(one, 'a', async () => ({ found: true }))).toEqual({ found: true })
  })
})
