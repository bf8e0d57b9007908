/** What the key of a hosted check may do: that check's own work, and nothing else. Contract, "Keys of hosted jobs". */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { routes } from '../../rest-compat/routes.ts'
import { schema } from '../../schema/index.ts'
import { keyedJobs } from '../../src/auth/job-tables.ts'
import { hostedKinds } from '../../src/jobs/hosted-kinds.ts'
import { type Asked, allCases, bodyOf, casesOf, pathOf } from '../support/cases.ts'
import { hostedFunction } from '../support/hosted-function.ts'
import { contractHub, type Json, type Person, types } from '../support/hub.ts'
import { reachingCheckout } from '../support/open-folder.ts'

const program = hostedFunction()
afterAll(() => program.remove())
const hub = contractHub({
  ...reachingCheckout,
  HOSTED_APP_NAME: 'coach',
  HOSTED_OWNERS: '*',
  HOSTED_COMMAND: program.command,
})
let ada: Person
let robot: string
let elsewhere: string
let open: string
let run: string
let other: string
/** A check whose function waits, and the key that it was given. */
let check: string
let key: string

const asked = (name: string, executor: string, filename = '') => ({
  kind: 'robot',
  robot_repo: name,
  entry: 'arm.xml',
  control_hz: 50,
  action: 'position',
  executor,
  drop: { filename },
})

async function newRobot(visibility = 'private'): Promise<string> {
  const name = await hub.repo(ada, { kind: 'robot', visibility })
  await hub.upload(ada, name, { 'arm.xml': '<mujoco/>' })
  return name
}

beforeAll(async () => {
  ada = await hub.person()
  ;[robot, elsewhere, open] = [await newRobot(), await newRobot(), await newRobot('public')]
  run = (await hub.call(ada, 'POST', '/v1/runs', { recipe: { template: 'act' } })).json.id
  other = (await hub.call(ada, 'POST', '/v1/robot-checks', asked(elsewhere, 'worker'))).json.id
  check = (await hub.call(ada, 'POST', '/v1/robot-checks', asked(robot, 'hosted'))).json.id
  const call = async () => (await hub.call(ada, 'GET', `/v1/robot-checks/${check}`)).json.hosted_call_id
  const facts = async () =>
    program.factsOf(await call()) ?? Promise.reject(new Error('The function has not started yet.'))
  key = (await vi.waitFor(facts, { timeout: 100_000, interval: 50 })).token
})

const ask = (route: Asked, repo = robot, checkId = check) =>
  hub.call(
    key,
    route.method,
    pathOf(route, { repo, check_id: checkId, run_id: run }),
    bodyOf(route, { robot, file: 'arm.xml', handle: ada.handle }),
  )

/** What it may, in this order: the sources come with the claim. */
const own = ['getRobotCheck', 'listRobotChecks', 'claimRobotCheck', 'presignRobotCheckArtifacts', 'reportRobotCheck']

describe('the key of a hosted check', () => {
  it('is in the table with every operation that writes', () => {
    const writes = routes.filter(({ method }) => method !== 'GET').map(({ operation }) => operation)
    expect(writes.filter((operation) => !Object.hasOwn(allCases, operation))).toEqual([])
  })

  it('is 403 for every operation that writes, but those on its own check', async () => {
    const denied = routes.filter(({ method, operation }) => method !== 'GET' && !own.includes(operation))
    const found: Record<string, Json> = {}
    for (const route of denied) {
      const { status, ...answer } = await ask(route)
      found[route.operation] = status === 403 ? types({ status, ...answer }) : status
    }
    const expected = denied.map(({ operation }) => [operation, casesOf(operation).jobKey ?? ['forbidden.scope']])
    expect(found).toEqual(Object.fromEntries(expected))
    expect((await hub.call(ada, 'GET', `/v1/robot-checks/${check}`)).json.status).toBe('queued')
  })

  it('claims its check with its sources, presigns artifacts and reports', async () => {
    const answers: Record<string, number> = {}
    for (const operation of own) {
      const route = routes.find((row) => row.operation === operation)
      if (!route) throw new Error(`There is no ${operation}.`)
      const { status, json } = await ask(route)
      answers[operation] = status
      if (operation === 'listRobotChecks') expect(json.items.map(({ id }: Json) => id)).toEqual([check])
      if (operation === 'claimRobotCheck') {
        expect(json.sources.map(({ path }: Json) => path)).toEqual(['arm.xml'])
        expect(await (await fetch(json.sources[0].url)).text()).toBe('<mujoco/>')
      }
    }
    expect(answers).toEqual(Object.fromEntries(own.map((operation) => [operation, 200])))
  })

  it('sees no other check, also one of the same owner', async () => {
    const ofCheck = routes.filter(({ path }) => path.includes(':check_id'))
    const allowed = ofCheck.filter(({ operation }) => own.includes(operation))
    const found = []
    for (const route of allowed) found.push([route.operation, (await ask(route, robot, other)).status])
    expect(found).toEqual(allowed.map(({ operation }) => [operation, 404]))
  })

  it('reads the repos that its check names and public ones, and no other of its owner', async () => {
    const reads = ['getRepo', 'getRepoTree']
    const found = []
    for (const name of [robot, open, elsewhere])
      for (const route of routes.filter(({ operation }) => reads.includes(operation)))
        found.push((await ask(route, name)).status)
    expect(found).toEqual([200, 200, 200, 200, 404, 404])
  })

  it('is no more in the dialect of Hugging Face', async () => {
    const [owner = '', slug = ''] = robot.split('/')
    const lines = [
      { key: 'header', value: { summary: 'a change' } },
      { key: 'file', value: { path: 'new.txt', content: 'new' } },
    ]
    const sent = (path: string, body: unknown, method = 'POST', type = 'application/json') =>
      hub.send(key, method, path, {
        redirect: 'manual',
        headers: { 'content-type': type },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
    const object = { oid: 'a'.repeat(64), size: 1 }
    const ndjson = lines.map((line) => JSON.stringify(line)).join('\n')
    const writes = [
      await sent(`/api/models/${robot}/commit/main`, ndjson, 'POST', 'application/x-ndjson'),
      await sent(`/${robot}.git/info/lfs/objects/batch`, { operation: 'upload', objects: [object] }),
      await sent(`/api/models/${robot}/tag/main`, { tag: 'v1' }),
      await sent(`/api/models/${robot}/settings`, { private: false }, 'PUT'),
      await sent('/api/repos/create', { name: 'mine', organization: owner, type: 'model' }),
      await sent('/api/repos/move', { fromRepo: robot, toRepo: `${owner}/${slug}-2`, type: 'model' }),
      await sent('/api/repos/delete', { name: slug, organization: owner, type: 'model' }, 'DELETE'),
    ]
    expect(writes.map(({ status }) => status)).toEqual(writes.map(() => 403))
    const reads = [robot, open, elsewhere].map((name) => sent(`/${name}/resolve/main/arm.xml`, undefined, 'GET'))
    expect((await Promise.all(reads)).map(({ status }) => status)).toEqual([302, 302, 404])
    expect((await hub.call(ada, 'GET', `/v1/repos/${robot}/tree`)).json.items).toHaveLength(1)
  })

  it('is no more in GraphQL', async () => {
    const denied = await hub.graphql(
      key,
      'mutation ($id: ID!) { cancelRobotCheck(input: { checkId: $id }) { check { id } } }',
      {
        id: check,
      },
    )
    expect(denied.errors[0].message).toContain('may not use cancelRobotCheck')
    expect((await hub.graphql(key, '{ runs(first: 1) { nodes { id } } }')).errors[0].message).toContain(
      'may not use runs',
    )
    expect((await hub.graphql(key, '{ robotChecks(first: 5) { nodes { id } } }')).data.robotChecks.nodes).toEqual([
      { id: check },
    ])
  })
})

describe('the table of keyed jobs', () => {
  it('has every kind of job that can be hosted, and names operations that are there', () => {
    expect(keyedJobs.map(({ kind, table }) => [kind, table])).toEqual(
      hostedKinds.map(({ job }) => [job.name, job.table]),
    )
    const fields = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((type) =>
      Object.keys(type?.getFields() ?? {}),
    )
    expect(keyedJobs.flatMap(({ operations }) => operations ?? []).filter((name) => !fields.includes(name))).toEqual([])
  })
})
