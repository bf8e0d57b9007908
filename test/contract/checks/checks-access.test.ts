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
const list: Operation = ['listRobotChecks', 'GET', () => '/v1/robot-checks']
const all = [...make, ...act, list]
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
      listRobotChecks: 200,
    }
    const refused = { createRobotCheck: 403, claimNextRobotCheck: 403, claimRobotCheck: 403, cancelRobotCheck: 403 }
    expect(await statuses(all, keys.read)).toEqual({ ...allowed, ...refused })
    for (const who of [keys.write, keys.train, ada]) expect(await statuses(all, who)).toEqual(allowed)
  })

  it('is 404 on a check of others, and of a key that is limited to other repos', async () => {
    for (const who of [keys.stranger, bob, keys.elsewhere])
      expect(new Set(Object.values(await statuses(act, who)))).toEqual(new Set([404]))
    expect((await ask(act[0] as Operation, ada, 'check_x')).status).toBe(404)
  })
})
