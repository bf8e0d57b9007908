/** Who can do what with a check, for every kind of credential. Contract, "Credentials". */
import { beforeAll, describe, expect, it } from 'vitest'
import { type Asked, bodyOf, casesOf, operationsUnder, pathOf } from '../support/cases.ts'
import type { Scopes } from '../support/define-cases.ts'
import { contractHub, type Person, types, type Who } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
let bob: Person
let robot: string
let keys: Record<'read' | 'write' | 'train' | 'expired' | 'stranger' | 'elsewhere', string>

beforeAll(async () => {
  ada = await hub.person()
  bob = await hub.person()
  robot = await hub.repo(ada, { kind: 'robot' })
  await hub.upload(ada, robot, { 'arm.xml': '<mujoco/>' })
  keys = {
    read: await hub.key(ada, { scope: 'read' }),
    write: await hub.key(ada),
    train: await hub.key(ada, { scope: 'train' }),
    expired: await hub.key(ada, { scope: 'train', name: 'expired check key' }),
    stranger: await hub.key(bob, { scope: 'train' }),
    elsewhere: await hub.key(ada, { repos: [await hub.repo(ada)] }),
  }
  await hub.sql(`update api_keys set expires_at = now() - interval '1 second' where name = 'expired check key'`)
  await hub.sql('delete from robot_checks where owner_id = $1', [ada.id])
})

const asked = () => ({ kind: 'robot', robot_repo: robot, entry: 'arm.xml', control_hz: 50, action: 'position' })
const put = async (): Promise<string> => {
  // The day's quota is another test's.
  await hub.sql(`update robot_checks set created_at = now() - interval '25 hours' where owner_id = $1`, [ada.id])
  return (await hub.call(ada, 'POST', '/v1/robot-checks', asked())).json.id
}

const all = operationsUnder('/v1/robot-checks')
const act = all.filter(({ path }) => path.includes(':check_id'))
const named = (name: string): Asked => {
  const found = all.find(({ operation }) => operation === name)
  if (!found) throw new Error(`There is no ${name}.`)
  return found
}
/** Of the credential that claimed the check. */
const hold = [named('presignRobotCheckArtifacts'), named('reportRobotCheck')]
/** Of everyone else who can write the repo. */
const publish = named('publishRobotCheck')
/** A check that this credential holds. */
const claimedBy = async (who: Who): Promise<string> => {
  const check = await put()
  expect((await hub.call(who, 'POST', `/v1/robot-checks/${check}/claim`, { worker: 'w' })).status).toBe(200)
  return check
}
/** A check that this credential has ended, ready to be published. */
const endedBy = async (who: Who): Promise<string> => {
  const check = await claimedBy(who)
  const at = `/v1/robot-checks/${check}`
  const files = [{ name: 'robot_card.json', size: 9 }]
  const { uploads } = (await hub.call(who, 'POST', `${at}/artifacts`, { files })).json
  await hub.put(uploads[0].url, '{"dof":1}')
  const report = { ok: true, grade: 'pass', source: 'job', engine: 'mujoco', checks: [] }
  const artifacts = [{ path: 'robot_card.json' }]
  expect((await hub.call(who, 'POST', `${at}/report`, { status: 'succeeded', report, artifacts })).status).toBe(200)
  return check
}
/** The key of the hosted call of a check: it sees its check and nothing else. */
const jobKeyOf = async (check: string): Promise<string> => {
  const name = `job of ${check}`
  const token = await hub.key(ada, { scope: 'train', name })
  await hub.sql('update api_keys set job_id = $1, limited = true where name = $2', [check, name])
  return token
}
const ask = (asked: Asked, who: Who, check: string) =>
  hub.call(
    who,
    asked.method,
    pathOf(asked, { check_id: check }),
    bodyOf(asked, { robot, file: 'arm.xml', handle: ada.handle }),
  )
const statuses = async (operations: readonly Asked[], who: Who) => {
  const found: Record<string, number> = {}
  for (const each of operations) found[each.operation] = (await ask(each, who, await put())).status
  return found
}
/** By the cases of each: where its table has no status for a scope, it fails. */
const expected = (scope: keyof Scopes) =>
  Object.fromEntries(all.map(({ operation }) => [operation, casesOf(operation).scopes?.[scope] ?? 'no case']))

describe('an operation of checks', () => {
  it('is 401 without a credential, and with one that has ended', async () => {
    const check = await put()
    for (const operation of all) {
      const without = await ask(operation, null, check)
      expect([operation.operation, without.status, types(without)]).toEqual([
        operation.operation,
        401,
        ['auth.missing'],
      ])
      const ended = await ask(operation, keys.expired, check)
      expect([operation.operation, ended.status, types(ended)]).toEqual([operation.operation, 401, ['auth.invalid']])
    }
  })

  it('needs its scope: key:read to read, key:write for the rest', async () => {
    expect(await statuses(all, keys.read)).toEqual(expected('read'))
    for (const who of [keys.write, keys.train, ada]) expect(await statuses(all, who)).toEqual(expected('write'))
  })

  it('is 404 on a check of others, and of a key that is limited to other repos', async () => {
    for (const who of [keys.stranger, bob, keys.elsewhere])
      expect(new Set(Object.values(await statuses(act, who)))).toEqual(new Set([404]))
    expect((await ask(named('getRobotCheck'), ada, 'check_x')).status).toBe(404)
  })
})

describe('what a worker sends', () => {
  it.each(['write', 'train'] as const)(
    'is taken from the key:%s that claimed the check, and from nobody else',
    async (scope) => {
      const check = await claimedBy(keys[scope])
      const other = keys[scope === 'write' ? 'train' : 'write']
      for (const operation of hold) {
        const found: Record<string, number> = {}
        for (const [name, who] of Object.entries({
          none: null,
          read: keys.read,
          other,
          person: ada,
          bob,
          mine: keys[scope],
        }))
          found[name] = (await ask(operation, who, check)).status
        expect([operation.operation, found]).toEqual([
          operation.operation,
          { none: 401, read: 403, other: 409, person: 409, bob: 404, mine: 200 },
        ])
      }
    },
  )

  it('is taken from a session that claimed the check', async () => {
    const check = await claimedBy(ada)
    for (const operation of hold) expect((await ask(operation, ada, check)).status).toBe(200)
  })
})

describe('publishRobotCheck', () => {
  it.each([
    ['a session', () => ada],
    ['a key:train', () => keys.train],
    ['a key of the same scope as the claimer', () => hub.key(ada)],
    ['a key limited to the robot', () => hub.key(ada, { repos: [robot] })],
    ['an agent key', () => hub.key(ada, { agent: true })],
  ] as [string, () => Who | Promise<string>][])('is allowed to %s', async (_who, given) => {
    const who: Who = await given()
    expect((await ask(publish, who, await endedBy(keys.write))).status).toBe(200)
  })

  it.each([
    ['nobody', (): Who => null, 401, 'auth.missing'],
    ['a credential that has ended', () => keys.expired, 401, 'auth.invalid'],
    ['a key:read', () => keys.read, 403, 'forbidden.scope'],
    ['the key that claimed it', () => keys.write, 403, 'forbidden.claimer'],
    ['a stranger', () => bob, 404, 'not_found'],
    ["a stranger's key", () => keys.stranger, 404, 'not_found'],
    ['a key limited to other repos', () => keys.elsewhere, 404, 'not_found'],
  ] as const)('is refused to %s', async (_who, given, status, type) => {
    const check = await endedBy(keys.write)
    const refused = await ask(publish, given(), check)
    expect([refused.status, types(refused)]).toEqual([status, [type]])
    expect((await hub.call(ada, 'GET', `/v1/robot-checks/${check}`)).json.published).toBeNull()
  })

  it('is refused to the session that claimed it, and to the key of its hosted call', async () => {
    expect(types(await ask(publish, ada, await endedBy(ada)))).toEqual(['forbidden.claimer'])
    const check = await claimedBy(ada)
    const job = await jobKeyOf(check)
    const refused = await ask(publish, job, check)
    expect([refused.status, types(refused)]).toEqual([403, ['forbidden.scope']])
    expect((await hub.call(job, 'GET', `/v1/robot-checks/${check}`)).status).toBe(200)
    await ask(named('cancelRobotCheck'), ada, check)
    expect((await ask(publish, job, check)).status).toBe(401)
  })

  it('needs write on the robot: who made the check and has left its org is 404, and 403 where the robot is public', async () => {
    const eve = await hub.person()
    const org = await hub.org([
      { user: ada.handle, role: 'owner' },
      { user: eve.handle, role: 'member' },
    ])
    const shared = await hub.repo(ada, { kind: 'robot', owner: org })
    await hub.upload(ada, shared, { 'arm.xml': '<mujoco/>' })
    const made = await hub.call(eve, 'POST', '/v1/robot-checks', { ...asked(), robot_repo: shared })
    await hub.sql('delete from memberships where user_id = $1', [eve.id])
    expect((await ask(publish, eve, made.json.id)).status).toBe(404)
    await hub.call(ada, 'PATCH', `/v1/repos/${shared}`, { visibility: 'public' })
    expect((await ask(publish, eve, made.json.id)).status).toBe(403)
  })
})
