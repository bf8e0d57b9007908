import { afterAll, beforeAll, expect } from 'vitest'
import { hostedFunction } from '../../support/hosted-function.ts'
import { contractHub, type Json, type Person, type Who } from '../../support/hub.ts'
import { reachingCheckout } from '../../support/open-folder.ts'

export interface Team {
  readonly owner: Person
  readonly member: Person
  readonly org: string
  /** A train key of an agent, of the member. */
  readonly agent: string
  readonly robot: string
}

/** A hub where one check fits into the allowance, and teams whose agents ask for more. */
export function heldWork() {
  const program = hostedFunction()
  afterAll(() => program.remove())
  /** One check of 0.2 USD fits into the allowance. Its one place is never free for long: what is made stays queued. */
  const hub = contractHub({
    ...reachingCheckout,
    HOSTED_APP_NAME: 'coach',
    HOSTED_OWNERS: '*',
    HOSTED_ALLOWANCE_USD: '0.25',
    HOSTED_COMMAND: program.command,
    HOSTED_MAX_PROCESSES: '1',
  })
  async function newTeam(): Promise<Team> {
    const [owner, member] = [await hub.person(), await hub.person()]
    const org = await hub.org([
      { user: owner.handle, role: 'owner' },
      { user: member.handle, role: 'member' },
    ])
    const robot = await hub.repo(member, { kind: 'robot', owner: org })
    await hub.upload(member, robot, { 'arm.xml': '<mujoco/>' })
    return {
      owner,
      member,
      org,
      robot,
      agent: await hub.key(member, { scope: 'train', agent: true, name: 'night agent' }),
    }
  }
  let team: Team
  let eve: Person
  beforeAll(async () => {
    team = await newTeam()
    eve = await hub.person()
  })
  const hosted = { template: 'act', executor: 'hosted', gpu: 'l4', max_hours: 2 }
  const askRun = (who: Who, recipe: Json = {}, { org }: Team = team, headers: Record<string, string> = {}) =>
    hub.call(who, 'POST', '/v1/runs', { recipe: { ...hosted, ...recipe }, owner: org }, headers)
  const checkBody = ({ robot }: Team) => ({
    kind: 'robot',
    robot_repo: robot,
    entry: 'arm.xml',
    control_hz: 50,
    action: 'position',
    executor: 'hosted',
  })
  const hold = async (of: Team = team, recipe: Json = {}): Promise<string> => {
    const filed = await askRun(of.agent, recipe, of)
    expect([filed.status, filed.json.errors]).toEqual([202, undefined])
    return filed.json.id
  }
  const act = (who: Who, id: string, verb: string) =>
    hub.call(who, 'POST', `/v1/spend/holds/${id}/${verb}`, verb === 'deny' ? { reason: 'not now' } : undefined)
  const get = (who: Who, id: string) => hub.call(who, 'GET', `/v1/spend/holds/${id}`)
  const keyId = (token: string) => `(select id from api_keys where token_sha256 = sha256('${token}'))`
  /** Everything that money and work of an org are written down in. */
  async function rowsOf({ org }: Team): Promise<Json> {
    const account = `(select id from accounts where handle = '${org}')`
    const [row] = await hub.sql<{ all: Json }>(
      `select json_build_object(
      'holds', (select json_agg(h order by h.id) from spend_holds h where h.account_id = ${account}),
      'runs', (select json_agg(u order by u.id) from runs u where u.owner_id = ${account}),
      'checks', (select json_agg(u order by u.id) from robot_checks u where u.owner_id = ${account}),
      'reserved', (select json_agg(r order by r.job_id) from spend_reservations r where r.account_id = ${account}),
      'ledger', (select json_agg(l order by l.id) from ledger l where l.account_id = ${account}),
      'audit', (select json_agg(a order by a.id) from audit_log a where a.account_id = ${account}))::jsonb::text as all`,
    )
    return row?.all
  }
  const auditOf = async (id: string) =>
    (await hub.sql<{ action: string }>('select action from audit_log where target_id = $1 order by id', [id])).map(
      ({ action }) => action,
    )
  return {
    program,
    hub,
    newTeam,
    hosted,
    askRun,
    checkBody,
    hold,
    act,
    get,
    keyId,
    rowsOf,
    auditOf,
    get team() {
      return team
    },
    get eve() {
      return eve
    },
  }
}
