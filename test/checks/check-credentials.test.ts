// @module-tag sampled
/** Who can do what with a check: every kind of credential on every operation, in both dialects. Contract, "Credentials" and "Keys of hosted jobs". */

import { sampled } from '@hub/testing/torture'
import { beforeAll, describe, expect, it } from 'vitest'
import { checksOf } from '../support/checks.ts'
import { contractHub, type Json, type Person, type Who } from '../support/hub.ts'

const hub = contractHub()
const checks = checksOf(hub)
let ada: Person
let robot: string
let who: Record<string, Who>

/** The robot is of an org of two members; one who made a check of it has left since. */
beforeAll(async () => {
  ada = await hub.person()
  const [member, left, stranger] = [await hub.person(), await hub.person(), await hub.person()]
  const org = await hub.org(
    [ada, member, left].map(({ handle }, at) => ({ user: handle, role: at ? 'member' : 'owner' })),
  )
  robot = await checks.robot(ada, { owner: org })
  const elsewhere = await hub.repo(ada)
  who = {
    nobody: null,
    owner: ada,
    member,
    left,
    stranger,
    read: await hub.key(ada, { scope: 'read' }),
    write: await hub.key(ada),
    train: await hub.key(ada, { scope: 'train' }),
    agent: await hub.key(ada, { agent: true }),
    org: await hub.key(org),
    limited: await hub.key(ada, { repos: [robot] }),
    elsewhere: await hub.key(ada, { repos: [elsewhere] }),
    job: await hub.key(org, { name: 'job' }),
  }
  // Whoever has left made the checks that everyone is asked about.
  leaver = left
  orgId = (await hub.sql<{ id: string }>('select id from accounts where handle = $1', [org]))[0]?.id ?? ''
})
let leaver: Person
let orgId: string

const leave = () => hub.sql('delete from memberships where user_id = $1', [leaver.id])
const join = () =>
  hub.sql(`insert into memberships (user_id, org_id, role) values ($1, $2, 'member') on conflict do nothing`, [
    leaver.id,
    orgId,
  ])

/** A queued check that the one who has left made, and that the job's key is for. */
async function queued(): Promise<string> {
  await hub.sql(`update robot_checks set created_at = now() - interval '25 hours'`)
  await join()
  const check = await checks.queue(leaver, robot)
  await leave()
  await hub.sql(`update api_keys set job_id = $1, limited = true where name = 'job'`, [check])
  return check
}

/** An operation over `/v1`, and the same in the graph. */
interface Operation {
  readonly rest: (check: string) => readonly [method: string, path: string, body?: Json]
  readonly graph: (check: string) => readonly [document: string, input?: Json]
}
const at = (check: string, verb = '') => `/v1/robot-checks/${check}${verb}`
const mutation = (name: string, shown: string) =>
  `mutation ($input: ${name.charAt(0).toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) { ${shown} } }`
const files = [{ name: 'robot_card.json', size: 2 }]
const operations: Record<string, Operation> = {
  createRobotCheck: {
    rest: () => ['POST', '/v1/robot-checks', checks.request(robot)],
    graph: () => [
      mutation('createRobotCheck', 'result { __typename }'),
      { kind: 'ROBOT', robotRepo: robot, entry: 'arm.xml', controlHz: 50, action: 'POSITION' },
    ],
  },
  getRobotCheck: {
    rest: (check) => ['GET', at(check)],
    graph: (check) => [`{ robotCheck(id: "${check}") { id } }`],
  },
  claimRobotCheck: {
    rest: (check) => ['POST', at(check, '/claim'), { worker: 'w' }],
    graph: (checkId) => [mutation('claimRobotCheck', 'check { id }'), { checkId, worker: 'w' }],
  },
  claimNextRobotCheck: {
    rest: () => ['POST', '/v1/robot-checks/claim-next', { worker: 'w' }],
    graph: () => [mutation('claimNextRobotCheck', 'check { id }'), { worker: 'w' }],
  },
  presignRobotCheckArtifacts: {
    rest: (check) => ['POST', at(check, '/artifacts'), { files }],
    graph: (checkId) => [mutation('presignRobotCheckArtifacts', 'uploads { name }'), { checkId, files }],
  },
  reportRobotCheck: {
    rest: (check) => ['POST', at(check, '/report'), {}],
    graph: (checkId) => [mutation('reportRobotCheck', 'check { id }'), { checkId }],
  },
  publishRobotCheck: {
    rest: (check) => ['POST', at(check, '/publish'), {}],
    graph: (checkId) => [mutation('publishRobotCheck', 'check { id }'), { checkId }],
  },
  cancelRobotCheck: {
    rest: (check) => ['POST', at(check, '/cancel')],
    graph: (checkId) => [mutation('cancelRobotCheck', 'check { id }'), { checkId }],
  },
}

/** Whoever works for the org of the robot: the check is queued, so a worker's reports and a publication are conflicts. */
const works = {
  createRobotCheck: 201,
  getRobotCheck: 200,
  claimRobotCheck: 200,
  claimNextRobotCheck: 200,
  presignRobotCheckArtifacts: 409,
  reportRobotCheck: 409,
  publishRobotCheck: 409,
  cancelRobotCheck: 202,
}
const each = (status: number) => Object.fromEntries(Object.keys(works).map((name) => [name, status]))
const expected: Record<string, Record<string, number>> = {
  nobody: each(401),
  owner: works,
  member: works,
  write: works,
  train: works,
  agent: works,
  org: works,
  limited: works,
  read: { ...each(403), getRobotCheck: 200 },
  stranger: { ...each(404), claimNextRobotCheck: 204 },
  elsewhere: { ...each(404), claimNextRobotCheck: 204 },
  // Their own check, which they see and may cancel; the robot they see no more.
  left: {
    createRobotCheck: 404,
    getRobotCheck: 200,
    claimRobotCheck: 403,
    claimNextRobotCheck: 204,
    presignRobotCheckArtifacts: 403,
    reportRobotCheck: 403,
    publishRobotCheck: 404,
    cancelRobotCheck: 202,
  },
  job: { ...works, createRobotCheck: 403, claimNextRobotCheck: 403, publishRobotCheck: 403, cancelRobotCheck: 403 },
}

describe.each(sampled(Object.keys(expected), 3))('the credential %s', (name) => {
  it('has the same rights in `/v1` and in the graph, those of the table', async () => {
    const [rest, graph]: Record<string, number>[] = [{}, {}]
    for (const [operation, { rest: asRest, graph: asGraph }] of Object.entries(operations)) {
      const [method, path, body] = asRest(await queued())
      const answer = await hub.call(who[name] ?? null, method, path, body)
      if (rest) rest[operation] = answer.status
      const [document, input] = asGraph(await queued())
      const { data, errors } = await hub.graphql(who[name] ?? null, document, input && { input })
      const shown = data && Object.values(data as Json)[0]
      const found = shown === null ? 404 : (shown as Json)?.check === null ? 204 : (expected[name]?.[operation] ?? 0)
      if (graph) graph[operation] = errors ? errors[0].extensions.status : found
    }
    expect({ rest, graph }).toEqual({ rest: expected[name], graph: expected[name] })
  })
})
