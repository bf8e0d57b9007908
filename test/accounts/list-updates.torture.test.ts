/** Subscriptions to the lists of an account. Contract, "Subscriptions". */
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { changeCursor } from '../../src/accounts/changes/change-position.ts'
import { type RunningHub, startHub } from '../../src/start-hub.ts'
import { checksOf } from '../support/checks.ts'
import { contractHub, type Json, type Person } from '../support/hub.ts'
import { putRun } from '../support/runs.ts'
import { readSubscription, type SubscriptionReader } from '../support/subscription.ts'

const hub = contractHub()
const checks = checksOf(hub)
/** Another hub over the same database and store. */
let other: RunningHub
let ada: Person
beforeAll(async () => {
  other = await startHub({ ...hub.running.deps.config, port: 0, publicUrl: null }, pino({ level: 'silent' }))
  ada = await hub.person()
})
afterAll(() => other?.stop())

const recipe = { template: 'act', dataset: [] }
async function makeRun(who: Person | string, body: Json = {}): Promise<string> {
  const made = await hub.call(who, 'POST', '/v1/runs', { recipe, ...body })
  expect([made.status, made.json.errors]).toEqual([201, undefined])
  return made.json.id
}
const cancel = (who: Person | string, run: string) => hub.call(who, 'POST', `/v1/runs/${run}/cancel`)
const runsUpdated = (owner: string, after?: string) =>
  `runsUpdated(owner: "${owner}"${after ? `, after: "${after}"` : ''}) { nodes { id status owner { handle } } removedIds cursor }`
const watch = (token: string, field: string, url = other.url) => readSubscription(url, token, field)

/** Waits until what the stream has said of runs ends with this. */
const says = (reader: SubscriptionReader, wanted: Json[]) =>
  expect
    .poll(
      () =>
        reader.events.flatMap(({ runsUpdated }) => runsUpdated?.nodes.map((run: Json) => [run.id, run.status]) ?? []),
      {
        timeout: 100_000,
      },
    )
    .toEqual(wanted)
const refusal = async (token: string, field: string): Promise<Json> => {
  const reader = await watch(token, field)
  await reader.ended
  const [{ extensions }] = reader.events[0].errors
  return [extensions.status, extensions.problem?.errors[0].type]
}

describe('runsUpdated', () => {
  it('begins at once with nothing, then shows each run of the account that is made, changed or deleted, on any hub', async () => {
    const reader = await watch(ada.token, runsUpdated(ada.handle))
    const [first] = await reader.until(1)
    expect(first.runsUpdated).toEqual({ nodes: [], removedIds: [], cursor: expect.any(String) })
    const run = await makeRun(ada)
    await says(reader, [[run, 'QUEUED']])
    await cancel(ada, run)
    await says(reader, [
      [run, 'QUEUED'],
      [run, 'CANCELED'],
    ])
    expect((await hub.call(ada, 'DELETE', `/v1/runs/${run}`)).status).toBe(204)
    await expect.poll(() => reader.events.at(-1).runsUpdated.removedIds, { timeout: 100_000 }).toEqual([run])
    expect(reader.events.at(-1).runsUpdated.nodes).toEqual([])
    reader.close()
  })

  it('shows changes that no hint announced, within a poll', async () => {
    const bob = await hub.person()
    const reader = await watch(bob.token, runsUpdated(bob.handle))
    await reader.until(1)
    const run = await putRun(hub.running.deps.db, { ownerId: bob.id })
    await says(reader, [[run, 'QUEUED']])
    reader.close()
  })

  it('goes on after a cursor on another hub, with what is new, each thing once as it is now', async () => {
    const bob = await hub.person()
    const reader = await watch(bob.token, runsUpdated(bob.handle))
    const [first] = await reader.until(1)
    reader.close()
    const [run, gone] = [await makeRun(bob), await makeRun(bob)]
    await cancel(bob, run)
    await cancel(bob, gone)
    await hub.call(bob, 'DELETE', `/v1/runs/${gone}`)
    const again = await watch(bob.token, runsUpdated(bob.handle, first.runsUpdated.cursor), hub.running.url)
    const [missed] = await again.until(1)
    expect(missed.runsUpdated).toMatchObject({ nodes: [{ id: run, status: 'CANCELED' }], removedIds: [gone] })
    again.close()
    let { cursor } = missed.runsUpdated
    // While transactions of others on the server are in progress, what came after them comes once more.
    const rest = async () => {
      const reader = await watch(bob.token, runsUpdated(bob.handle, cursor))
      const [{ runsUpdated: next }] = await reader.until(1)
      reader.close()
      cursor = next.cursor
      return [next.nodes, next.removedIds]
    }
    await expect.poll(rest, { timeout: 100_000 }).toEqual([[], []])
  })

  it('shows more than an event holds in several', async () => {
    const bob = await hub.person()
    const reader = await watch(bob.token, runsUpdated(bob.handle))
    const [first] = await reader.until(1)
    reader.close()
    const runs = await Promise.all(Array.from({ length: 120 }, () => putRun(hub.running.deps.db, { ownerId: bob.id })))
    const again = await watch(bob.token, runsUpdated(bob.handle, first.runsUpdated.cursor))
    const shown = () => again.events.map(({ runsUpdated: { nodes } }) => nodes.map(({ id }: Json) => id) as string[])
    await expect.poll(() => shown().flat().length, { timeout: 100_000 }).toBe(120)
    expect(shown().map(({ length }) => length)).toEqual([50, 50, 20])
    expect(shown().flat().toSorted()).toEqual(runs.toSorted())
    again.close()
  })

  it('shows a key limited to repos what it sees of the list', async () => {
    const bob = await hub.person()
    const name = await hub.repo(bob)
    const [{ id: repoId } = { id: '' }] = await hub.sql<{ id: string }>('select id from repos where slug = $1', [
      name.split('/')[1],
    ])
    const limited = await hub.key(bob, { scope: 'read', repos: [name] })
    const reader = await watch(limited, runsUpdated(bob.handle))
    await reader.until(1)
    const unseen = await putRun(hub.running.deps.db, { ownerId: bob.id, status: 'canceled' })
    const seen = await putRun(hub.running.deps.db, { ownerId: bob.id, repoIds: [repoId], status: 'canceled' })
    await says(reader, [[seen, 'CANCELED']])
    await hub.call(bob, 'DELETE', `/v1/runs/${unseen}`)
    await hub.call(bob, 'DELETE', `/v1/runs/${seen}`)
    const removed = () => reader.events.flatMap(({ runsUpdated }) => runsUpdated.removedIds)
    await expect.poll(removed, { timeout: 100_000 }).toEqual([seen])
    reader.close()
  })

  it('is 401 without a credential, 403 on an account of others, 404 on none, 422 for a cursor that is none, of another list, or too old', async () => {
    const bob = await hub.person()
    const cursor = (kind: 'run' | 'spend_hold', xid: number, ageS = 0) =>
      changeCursor(ada.id, kind, { xid, thingId: '' }, Date.now() - ageS * 1000)
    const after = (text: string) => refusal(ada.token, runsUpdated(ada.handle, text))
    const anonymous = await hub.graphql(null, `subscription { ${runsUpdated(ada.handle)} }`)
    expect(anonymous.errors[0].extensions.problem.errors[0].type).toBe('auth.missing')
    expect(await refusal(bob.token, runsUpdated(ada.handle))).toEqual([403, 'forbidden.scope'])
    expect(await refusal(bob.token, runsUpdated('nobody-here'))).toEqual([404, 'not_found'])
    expect(await after('nine')).toEqual([422, 'validation.cursor'])
    expect(await after(cursor('spend_hold', 5))).toEqual([422, 'validation.cursor'])
    expect(await after(cursor('run', 5, 24 * 3600))).toEqual([422, 'validation.cursor'])
    // A position that this database server has not reached.
    expect(await after(cursor('run', Number.MAX_SAFE_INTEGER - 1))).toEqual([422, 'validation.cursor'])
  })
})

describe('a list that is followed', () => {
  it('shows nothing more to a member who has left the org, and ends', async () => {
    const eve = await hub.person()
    const org = await hub.org([
      { user: ada.handle, role: 'owner' },
      { user: eve.handle, role: 'member' },
    ])
    const [hers, mine] = [await watch(eve.token, runsUpdated(org)), await watch(ada.token, runsUpdated(org))]
    await hers.until(1)
    await mine.until(1)
    await hub.revoke('delete from memberships where user_id = $1', [eve.id])
    const run = await makeRun(ada, { owner: org })
    await says(mine, [[run, 'QUEUED']])
    await hers.ended
    expect(hers.events).toHaveLength(1)
    mine.close()
  })

  it('ends within half a minute for a revoked key, with nothing happening', async () => {
    const bob = await hub.person()
    const reader = await watch(await hub.key(bob, { scope: 'read' }), runsUpdated(bob.handle))
    await reader.until(1)
    await hub.revoke('update api_keys set revoked_at = now() where account_id = $1', [bob.id])
    const now = performance.now.bind(performance)
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 31_000)
    try {
      await reader.ended
    } finally {
      clock.mockRestore()
    }
    expect(reader.events).toHaveLength(1)
  })

  it('costs the same however many dashboards follow it: a read of what changed, one of the runs, one of the credentials', async () => {
    const eve = await hub.person()
    const org = await hub.org([
      { user: ada.handle, role: 'owner' },
      { user: eve.handle, role: 'member' },
    ])
    const readers = await Promise.all([ada, ada, ada, eve, eve, eve].map(({ token }) => watch(token, runsUpdated(org))))
    for (const reader of readers) await reader.until(1)
    const query = vi.spyOn(other.deps.db.pool, 'query')
    try {
      const run = await makeRun(ada, { owner: org })
      for (const reader of readers) await says(reader, [[run, 'QUEUED']])
      const names = query.mock.calls.map(([config]) => (config as unknown as { name?: string }).name)
      const count = (name: string) => names.filter((one) => one === name).length
      // A poll may fall between, and on a busy machine a reader may be late for a read of the others.
      for (const name of ['changes-since', 'runs-by-id', 'sessions-by-id'])
        expect([1, 2, 3], name).toContain(count(name))
    } finally {
      query.mockRestore()
      for (const reader of readers) reader.close()
    }
  })
})

describe('checksUpdated and holdsUpdated', () => {
  it('show the checks and the holds of the account', async () => {
    const bob = await hub.person()
    const robot = await checks.robot(bob)
    const onChecks = await watch(
      bob.token,
      `checksUpdated(owner: "${bob.handle}") { nodes { id status } removedIds cursor }`,
    )
    const onHolds = await watch(
      bob.token,
      `holdsUpdated(owner: "${bob.handle}") { nodes { id status summary } removedIds cursor }`,
    )
    await onChecks.until(1)
    await onHolds.until(1)
    const check = await checks.queue(bob, robot)
    const shown = ({ events }: SubscriptionReader, name: string) => events.flatMap((event) => event[name].nodes)
    await expect
      .poll(() => shown(onChecks, 'checksUpdated'), { timeout: 100_000 })
      .toEqual([{ id: check, status: 'QUEUED' }])
    const hold = 'spend_00000000000000000000000001'
    await hub.sql(
      `insert into spend_holds (id, status, kind, account_id, filed_by, filed_by_name, request, summary, estimate_usd, reserve_usd, allowance_usd, expires_at)
       values ($1, 'pending', 'run', $2, 'key_x', 'x', '{}', 'A run.', 1, 1, 0, now() + interval '1 hour') returning id`,
      [hold, bob.id],
    )
    await expect
      .poll(() => shown(onHolds, 'holdsUpdated'), { timeout: 100_000 })
      .toEqual([{ id: hold, status: 'PENDING', summary: 'A run.' }])
    onChecks.close()
    onHolds.close()
  })
})
