/** What a stream shows is seen with rights that its caller still had after it was read. Contract, "Subscriptions". */
import { newId } from '@hub/formats/ids'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readAsNow } from '../../src/auth/current-viewer.ts'
import type { AccountRef, Viewer } from '../../src/operation/context.ts'
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
