/** Who may do what with a check, for every kind of credential. Contract, "Credentials". */
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, type Person, types, type Who } from '../support/hub.ts'

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

type Operation = readonly [name: string, method: string, path: (check: string) => string, body?: () => Json]
const make: readonly Operation[] = [
  ['createRobotCheck', 'POST', () => '/v1/robot-checks', asked],
  ['claimNextRobotCheck', 'POST', () => '/v1/robot-checks/claim-next', () => ({ worker: 'w' })],
]
const act: readonly Operation[] = [
  ['getRobotCheck', 'GET', (check) => `/v1/robot-checks/${check}`],
  ['streamRobotCheckLogs', 'GET', (check) => `/v1/robot-checks/${check}/logs`],
  ['downloadRobotCheckLog', 'GET', (check) => `/v1/robot-checks/${check}/logs/download`],
  ['claimRobotCheck', 'POST', (check) => `/v1/robot-checks/${check}/claim`, () => ({ worker: 'w' })],
  ['cancelRobotCheck', 'POST', (check) => `/v1/robot-checks/${check}/cancel`],
]
/** Of the credential that claimed the check. */
const hold: readonly Operation[] = [
  [
    'presignRobotCheckArtifacts',
    'POST',
    (check) => `/v1/robot-checks/${check}/artifacts`,
    () => ({ files: [{ name: 'robot_card.json', size: 2 }] }),
  ],
  ['reportRobotCheck', 'POST', (check) => `/v1/robot-checks/${check}/report`, () => ({ log_chunk: 'a line\n' })],
]
/** Of everybody else who may write the repo. */
const publish: Operation = ['publishRobotCheck', 'POST', (check) => `/v1/robot-checks/${check}/publish`, () => ({})]
const list: Operation = ['listRobotChecks', 'GET', () => '/v1/robot-checks']
const all = [...make, ...act, ...hold, publish, list]
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
const ask = ([, method, path, body]: Operation, who: Who, check: string) => hub.call(who, method, path(check), body?.())
const statuses = async (operations: readonly Operation[], who: Who) => {
  const found: Record<string, number> = {}
  for (const operation of operations) found[operation[0]] = (await ask(operation, who, await put())).status
  return found
}

describe('an operation of checks', () => {
  it('is 401 without a credential, and with one that has ended', async () => {
    const check = await put()
    for (const operation of all) {
      const without = await ask(operation, null, check)
      expect([operation[0], without.status, types(without)]).toEqual([operation[0], 401, ['auth.missing']])
      const ended = await ask(operation, keys.expired, check)
      expect([operation[0], ended.status, types(ended)]).toEqual([operation[0], 401, ['auth.invalid']])
    }
  })

  it('needs its scope: key:read to read, key:write for the rest', async () => {
    const allowed = {
      createRobotCheck: 201,
      claimNextRobotCheck: 200,
      getRobotCheck: 200,
      streamRobotCheckLogs: 200,
      downloadRobotCheckLog: 200,
      claimRobotCheck: 200,
      cancelRobotCheck: 202,
      presignRobotCheckArtifacts: 409,
      reportRobotCheck: 409,
      publishRobotCheck: 409,
      listRobotChecks: 200,
    }
    const refused = {
      createRobotCheck: 403,
      claimNextRobotCheck: 403,
      claimRobotCheck: 403,
      cancelRobotCheck: 403,
      presignRobotCheckArtifacts: 403,
      reportRobotCheck: 403,
      publishRobotCheck: 403,
    }
    expect(await statuses(all, keys.read)).toEqual({ ...allowed, ...refused })
    for (const who of [keys.write, keys.train, ada]) expect(await statuses(all, who)).toEqual(allowed)
  })

  it('is 404 on a check of others, and of a key that is limited to other repos', async () => {
    for (const who of [keys.stranger, bob, keys.elsewhere])
      expect(new Set(Object.values(await statuses([...act, ...hold, publish], who)))).toEqual(new Set([404]))
    expect((await ask(act[0] as Operation, ada, 'check_x')).status).toBe(404)
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
        expect([operation[0], found]).toEqual([
          operation[0],
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
    await ask(['cancelRobotCheck', 'POST', (id) => `/v1/robot-checks/${id}/cancel`], ada, check)
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
