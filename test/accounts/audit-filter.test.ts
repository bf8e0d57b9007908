/** The audit log by action, actor, target and time; and what people did lately. */
import { firstIdAt, idTimeMs, newId } from '@hub/formats/ids'
import { beforeAll, describe, expect, it } from 'vitest'
import { toldActions } from '../../src/accounts/activity.ts'
import { contractHub, type Json, newName, type Person, type Who } from '../support/hub.ts'

const hub = contractHub()
let boss: Person
let worker: Person
let org: string
let repo: Json

beforeAll(async () => {
  ;[boss, worker] = [await hub.person(), await hub.person()]
  org = await hub.org([
    { user: boss.handle, role: 'owner' },
    { user: worker.handle, role: 'member' },
  ])
  const name = await hub.repo(worker, { owner: org })
  await hub.repo(boss, { owner: org })
  await hub.upload(worker, name, { 'README.md': '# A' })
  repo = (await hub.call(worker, 'GET', `/v1/repos/${name}`)).json
})

const ask = async (who: Who, given: Record<string, unknown>): Promise<Json> =>
  hub.graphql(
    who,
    `query ($account: String!, $action: String, $actor: String, $targetId: ID, $from: DateTime, $to: DateTime, $first: Int, $after: String) {
      auditLog(account: $account, action: $action, actor: $actor, targetId: $targetId, from: $from, to: $to, first: $first, after: $after) {
        nodes { id at action targetId actor { handle } } pageInfo { hasNextPage endCursor } } }`,
    { account: org, ...given },
  )
const entries = async (given: Record<string, unknown>): Promise<Json[]> => {
  const { data, errors } = await ask(boss, { first: 100, ...given })
  expect(errors).toBeUndefined()
  return data.auditLog.nodes
}
const kind = ({ errors }: Json) => errors?.[0].extensions.problem.errors[0].type

describe('the audit log', () => {
  it.each<[string, () => Record<string, unknown>, (entry: Json) => boolean]>([
    ['action', () => ({ action: 'repo.create' }), ({ action }) => action === 'repo.create'],
    ['actor', () => ({ actor: worker.handle }), ({ actor }) => actor?.handle === worker.handle],
    ['target', () => ({ targetId: repo.id }), ({ targetId }) => targetId === repo.id],
    [
      'action, actor and target at once',
      () => ({ action: 'repo.create', actor: worker.handle, targetId: repo.id }),
      ({ action, actor, targetId }) =>
        action === 'repo.create' && actor?.handle === worker.handle && targetId === repo.id,
    ],
  ])('is narrowed by %s', async (_, filter, fits) => {
    const all = await entries({})
    const wanted = all.filter(fits)
    expect(wanted.length).toBeGreaterThan(0)
    expect(wanted.length).toBeLessThan(all.length)
    expect(await entries(filter())).toEqual(wanted)
  })

  it('is narrowed by time: from is of it, to is not', async () => {
    const all = await entries({})
    const [newest, second] = [idTimeMs(all.at(0).id), idTimeMs(all.at(-2).id)]
    const [from, to] = [new Date(second).toISOString(), new Date(newest).toISOString()]
    const wanted = all.filter(({ id }) => idTimeMs(id) >= second && idTimeMs(id) < newest)
    expect(wanted.length).toBeGreaterThan(0)
    expect(await entries({ from, to })).toEqual(wanted)
    expect(await entries({ from: '2001-01-01T00:00:00.000Z' })).toEqual(all)
    expect(await entries({ to: '2001-01-01T00:00:00.000Z' })).toEqual([])
    expect(await entries({ from: '9999-12-31T00:00:00.000Z' })).toEqual([])
  })

  it('goes on page by page under a filter, and takes the cursor of no other one', async () => {
    const seen: Json[] = []
    let after: string | null = null
    for (let more = true; more; ) {
      const { data } = await ask(boss, { action: 'repo.create', first: 1, after })
      seen.push(...data.auditLog.nodes)
      more = data.auditLog.pageInfo.hasNextPage
      after = data.auditLog.pageInfo.endCursor
    }
    expect(seen).toEqual(await entries({ action: 'repo.create' }))
    expect(seen).toHaveLength(2)
    for (const other of [{}, { action: 'repo.delete' }, { action: 'repo.create', actor: worker.handle }])
      expect(kind(await ask(boss, { ...other, after }))).toBe('validation.cursor')
  })

  it('finds nothing for a target of elsewhere, and says which actor there is none of', async () => {
    expect(await entries({ targetId: newId('repo') })).toEqual([])
    expect(await entries({ targetId: 'x'.repeat(256) })).toEqual([])
    expect(kind(await ask(boss, { actor: newName('none') }))).toBe('not_found')
    expect(kind(await ask(boss, { actor: org }))).toBe('not_found')
    expect(kind(await ask(boss, { action: '' }))).toMatch(/^validation\./)
    expect(kind(await ask(boss, { from: 'yesterday' }))).toMatch(/^validation\./)
  })

  it('stays closed to others under each filter', async () => {
    const stranger = await hub.person()
    expect(kind(await ask(stranger, { targetId: repo.id }))).toBe('forbidden.scope')
    expect(kind(await ask(null, { targetId: repo.id }))).toBe('auth.missing')
  })
})

describe('what people did lately', () => {
  const lately = async (who: Who, first = 50): Promise<Json> =>
    hub.graphql(who, `query ($first: Int) { activity(first: $first) { id action targetId actor { handle } } }`, {
      first,
    })

  it("is of the caller's account and orgs, newest first, without keys, sessions and claims", async () => {
    const mine = await hub.repo(worker)
    await hub.graphql(worker, 'mutation { createApiKey(input: { name: "k", scope: READ }) { key { id } } }')
    const { data } = await lately(worker)
    const ids: string[] = data.activity.map(({ id }: Json) => id)
    expect(ids).toEqual(ids.toSorted().toReversed())
    const { id: mineId } = (await hub.call(worker, 'GET', `/v1/repos/${mine}`)).json
    expect(data.activity[0]).toMatchObject({ action: 'repo.create', targetId: mineId })
    expect(data.activity).toContainEqual(
      expect.objectContaining({ action: 'repo.create', actor: { handle: boss.handle } }),
    )
    for (const { action } of data.activity) expect(toldActions).toContain(action)
    expect((await lately(worker, 1)).data.activity).toEqual(data.activity.slice(0, 1))
  })

  it('is nothing of accounts that the caller does not act for, and for no key', async () => {
    const stranger = await hub.person()
    expect((await lately(stranger)).data.activity).toEqual([])
    expect(kind(await lately(await hub.key(worker, { scope: 'train' })))).toBe('forbidden.scope')
    expect(kind(await lately(null))).toBe('auth.missing')
    expect(kind(await lately(worker, 51))).toMatch(/^validation\./)
  })
})

it('the first id of a time is before each id of it, and after each one before it', () => {
  const id = newId('aud')
  const time = idTimeMs(id)
  expect(firstIdAt('aud', time) <= id).toBe(true)
  expect(firstIdAt('aud', time + 1) > id).toBe(true)
  for (const timeMs of [0, 1, time, 2 ** 48 - 1]) expect(idTimeMs(firstIdAt('aud', timeMs))).toBe(timeMs)
  expect(idTimeMs(firstIdAt('aud', -5))).toBe(0)
  expect(idTimeMs(firstIdAt('aud', 2 ** 53))).toBe(2 ** 48 - 1)
})
