import { beforeAll, describe, expect, it } from 'vitest'
import { type Asked, bodyOf, casesOf, operationsUnder, pathOf } from '../support/cases.ts'
import type { Scopes } from '../support/define-cases.ts'
import { type Answer, contractHub, type Json, type Person, types, type Who } from '../support/hub.ts'
import { putRun } from '../support/runs.ts'

const hub = contractHub()
let ada: Person
let bob: Person
let keys: Record<'read' | 'write' | 'train' | 'expired' | 'revoked' | 'stranger', string>

beforeAll(async () => {
  ada = await hub.person()
  bob = await hub.person()
  keys = {
    read: await hub.key(ada, { scope: 'read' }),
    write: await hub.key(ada, { scope: 'write' }),
    train: await hub.key(ada, { scope: 'train' }),
    expired: await hub.key(ada, { scope: 'train', name: 'expired' }),
    revoked: await hub.key(ada, { scope: 'train', name: 'revoked' }),
    stranger: await hub.key(bob, { scope: 'read' }),
  }
  await hub.sql(`update api_keys set expires_at = now() - interval '1 second' where name = 'expired'`)
  await hub.sql(`update api_keys set revoked_at = now() where name = 'revoked'`)
})

const put = () => putRun(hub.running.deps.db, { ownerId: ada.id })
const recipe = { template: 'act' }

const all = operationsUnder('/v1/runs')
const act = all.filter(({ path }) => path.includes(':run_id'))
const ask = (asked: Asked, who: Who, run: string) =>
  hub.call(
    who,
    asked.method,
    pathOf(asked, { run_id: run }),
    bodyOf(asked, { robot: '', file: '', handle: ada.handle }),
  )
const statuses = async (operations: readonly Asked[], who: Who, run?: string) =>
  Object.fromEntries(
    await Promise.all(
      operations.map(async (each) => [each.operation, (await ask(each, who, run ?? (await put()))).status]),
    ),
  )
const every = (operations: readonly Asked[], status: number) =>
  Object.fromEntries(operations.map(({ operation }) => [operation, status]))
/** By the cases of each: where its table has no status for a scope, it fails. */
const expected = (operations: readonly Asked[], scope: keyof Scopes) =>
  Object.fromEntries(operations.map(({ operation }) => [operation, casesOf(operation).scopes?.[scope] ?? 'no case']))

describe('an operation of runs', () => {
  it('is 401 `auth.missing` without a credential, with the expected scheme', async () => {
    const run = await put()
    for (const operation of all) {
      const answer = await ask(operation, null, run)
      expect([operation.operation, answer.status, types(answer), answer.headers.get('www-authenticate')]).toEqual([
        operation.operation,
        401,
        ['auth.missing'],
        expect.stringMatching(/^Bearer/),
      ])
    }
  })

  it('is 401 `auth.invalid` with any bad credential, even where none is needed', async () => {
    const run = await put()
    const bad = [keys.expired, keys.revoked, `${keys.train.slice(0, -1)}_`, 'nonsense', `${ada.token}x`]
    for (const who of bad) {
      for (const operation of all) {
        const answer = await ask(operation, who, run)
        expect([operation.operation, answer.status, types(answer)]).toEqual([
          operation.operation,
          401,
          ['auth.invalid'],
        ])
      }
      expect((await hub.call(who, 'GET', '/v1/hardware_tiers')).status).toBe(401)
    }
    const [row] = await hub.sql<{ status: string }>('select status from runs where id = $1', [run])
    expect(row?.status).toBe('queued')
  })

  it('requires its scope: 403 if the run is visible', async () => {
    expect(await statuses(all, keys.read)).toEqual(expected(all, 'read'))
    expect(await statuses(all, keys.write)).toEqual(expected(all, 'write'))
    expect(await statuses(act, keys.train)).toEqual(expected(act, 'train'))
  })

  it('is 404, never 403, on a run that the caller cannot see, with any scope, and on a missing one', async () => {
    const run = await put()
    for (const who of [bob, keys.stranger]) expect(await statuses(act, who, run)).toEqual(every(act, 404))
    for (const id of ['run_01h455vb4pex5vsknk084sn02q', 'run_', 'x'])
      expect(await statuses(act, keys.train, id)).toEqual(every(act, 404))
  })
})

describe('of two keys of one owner', () => {
  it('only the claimer may report, record gate results and claim again; both see the run and may cancel it', async () => {
    const other = await hub.key(ada, { scope: 'train' })
    const run = await put()
    const post = (who: Who, verb: string, body: Json = {}) => hub.call(who, 'POST', `/v1/runs/${run}/${verb}`, body)
    expect((await post(keys.train, 'claim', { worker: 'box' })).status).toBe(200)
    for (const who of [other, ada]) {
      for (const body of [{}, { log_chunk: 'x\n' }, { metrics: [{ step: 1 }] }, { status: 'succeeded' }]) {
        const refused = await post(who, 'report', body)
        expect([refused.status, types(refused)]).toEqual([409, ['conflict.not_claimer']])
        expect(refused.json.errors[0]).toMatchObject({ holder: 'box' })
      }
    }
    for (const who of [other, keys.train]) {
      const again = await post(who, 'claim', { worker: 'box' })
      expect([again.status, types(again)]).toEqual([409, ['conflict.already_claimed']])
    }
    const told = await hub.graphql(
      other,
      'mutation ($input: RecordGateResultsInput!) { recordGateResults(input: $input) { run { id } } }',
      { input: { runId: run, step: 1, seedsRun: 1, seedsAlive: 1, cells: [{ name: 'a', status: 'PASS' }] } },
    )
    expect(told.errors[0].extensions).toMatchObject({ code: 'CONFLICT', status: 409 })
    const kept = await hub.sql('select 1 from run_log_chunks where run_id = $1', [run])
    expect([kept, (await post(other, 'cancel')).status]).toEqual([[], 202])
    const seen = await post(keys.train, 'report', { status: 'canceled' })
    expect([seen.status, seen.json.status]).toEqual([200, 'canceled'])
  })
})

describe('a run of an org', () => {
  it('can be seen, claimed and canceled by each member, but not by former members', async () => {
    const org = await hub.org([
      { user: ada.handle, role: 'owner' },
      { user: bob.handle, role: 'member' },
    ])
    const made = await hub.call(ada, 'POST', '/v1/runs', { recipe, owner: org })
    const read = async (who: Person): Promise<Answer> => hub.call(who, 'GET', `/v1/runs/${made.json.id}`)
    expect((await read(bob)).json).toMatchObject({ owner: { handle: org, kind: 'org' } })
    await hub.sql('delete from memberships where user_id = $1', [bob.id])
    expect((await read(bob)).status).toBe(404)
    expect((await hub.call(bob, 'POST', `/v1/runs/${made.json.id}/claim`, { worker: 'w' })).status).toBe(404)
  })

  it('accepts no report or gate result from a former member, even with a claim; they still see their own runs', async () => {
    const org = await hub.org([
      { user: ada.handle, role: 'owner' },
      { user: bob.handle, role: 'member' },
    ])
    const made = await hub.call(bob, 'POST', '/v1/runs', { recipe, owner: org })
    const post = (verb: string, body: Json = {}) => hub.call(bob, 'POST', `/v1/runs/${made.json.id}/${verb}`, body)
    const gated = { results: [{ step: 1, cells: [], seeds_run: 1, seeds_alive: 1 }] }
    expect((await post('claim', { worker: 'w' })).status).toBe(200)
    expect([(await post('report')).status, (await post('gate-results', gated)).status]).toEqual([200, 200])
    await hub.sql('delete from memberships where user_id = $1', [bob.id])
    const answers = [await post('report', { log_chunk: 'x\n' }), await post('gate-results', gated)]
    expect(answers.map((answer) => [answer.status, ...types(answer)])).toEqual([
      [403, 'forbidden.scope'],
      [403, 'forbidden.scope'],
    ])
    expect((await hub.call(bob, 'GET', `/v1/runs/${made.json.id}`)).json).toMatchObject({ status: 'running' })
    expect(await hub.sql('select 1 from run_log_chunks where run_id = $1', [made.json.id])).toEqual([])
  })
})
